// Package worker runs the jobs of an EchoMQ queue: write a [Handler], and the worker protocol is done for you.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
	// A stream that lived so long was a good one: the next backoff begins anew.
	goodStream = 5 * time.Second
	// A handler of a lost job has so long to stop before the window shrinks by its place.
	stopGrace = 500 * time.Millisecond
	// Reports may wait so long for their answers after the last handler has ended.
	answerLimit = 30 * time.Second
)

// Options tells how a worker works; the zero value suits most.
type Options struct {
	// Concurrency is how many handlers run at once; 0: 4.
	Concurrency int
	// Buffer is how many jobs beyond the concurrency may wait here; the gateway may recall them.
	Buffer int
	// LockDuration is the time after which the jobs of a dead worker are free; 0: the gateway's default.
	LockDuration time.Duration
	// StopTimeout is how long running handlers may go on once the worker stops; 0: 10 s.
	StopTimeout time.Duration
	// Name is for people, and stored with the jobs that the worker takes. Empty: the worker id.
	Name string
	// WorkerID is a stable name that many sessions may share. Empty: host and process.
	WorkerID string
	// Labels are listed with the worker.
	Labels map[string]string
	// OnReady is called each time a stream is open.
	OnReady func(name string)
}

// Worker takes jobs of a queue and gives them to a handler.
type Worker struct {
	connection Connection
	handler    Handler
	options    Options

	mu       sync.Mutex // Guards what follows.
	session  *session
	evidence evidence
	runs     runs
	reports  reports
	stream   *stream
	began    time.Time // When the stream was begun.
	up       bool      // The stream is open.
	left     bool      // Drain was sent on it.
	moving   bool      // It is left for another one at once.
	taking   bool
	draining bool
	stopping bool
	window   int
	failures int
	beats    *time.Ticker
	wish     *time.Timer
	handlers sync.WaitGroup
	wake     chan struct{} // Closed when the worker is to stop.
	empty    chan struct{} // Closed when it stops and holds nothing.
}

// New makes a worker; [Worker.Run] starts it.
func New(connection Connection, queue string, handler Handler, options Options) (*Worker, error) {
	if options.Concurrency == 0 {
		options.Concurrency = 4
	}
	if options.StopTimeout == 0 {
		options.StopTimeout = 10 * time.Second
	}
	if options.Concurrency < 1 || options.Buffer < 0 {
		return nil, errors.New("the concurrency is at least 1, the buffer at least 0")
	}
	if err := connection.check(); err != nil {
		return nil, err
	}
	w := &Worker{
		connection: connection, handler: handler, options: options,
		session: newSession(queue, options),
		wake:    make(chan struct{}), empty: make(chan struct{}),
	}
	w.reports = reports{entries: map[uint32]*entry{}, next: 1, send: w.send, done: w.ended, later: w.later}
	w.runs = runs{
		concurrency: options.Concurrency, active: map[*run]struct{}{},
		accept: w.heartbeat, start: w.start, report: w.reports.report,
	}
	return w, nil
}

// Run works until the context is done. Then it takes no more, lets handlers end (StopTimeout at most, then their jobs
// go back), waits until every report is answered, and returns. Broken streams are followed by others.
func (w *Worker) Run(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stopped <- w.stop()
	}()
	done := make(chan struct{})
	defer close(done)
	go w.watchLeases(done)
	for !w.over() {
		began := time.Now()
		end := w.oneStream()
		if w.over() {
			break
		}
		if !w.prepareNext(end) {
			slog.Warn("the stream ended", "worker", w.session.info.GetName(), "reason", end.reason, "error", end.message)
			w.backOff(end, time.Since(began))
		}
	}
	return <-stopped
}

func (w *Worker) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isOver()
}

func (w *Worker) isOver() bool { return w.stopping && len(w.runs.held) == 0 }

func (w *Worker) stop() error {
	w.mu.Lock()
	w.stopping = true
	close(w.wake)
	w.take(false)
	w.runs.releaseBuffered()
	w.leaveIfDone()
	if w.stream != nil && !w.up && len(w.runs.held) == 0 {
		w.stream.leave()
	}
	w.mu.Unlock()

	ended := make(chan struct{})
	go func() {
		w.handlers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(w.options.StopTimeout):
	}
	w.mu.Lock()
	w.runs.releaseRunning()
	w.mu.Unlock()

	select {
	case <-w.empty:
		return nil
	case <-time.After(answerLimit):
		w.mu.Lock()
		defer w.mu.Unlock()
		w.runs.held = nil
		if w.stream != nil {
			w.stream.leave()
		}
		return errors.New("jobs were left without an answer")
	}
}

func (w *Worker) oneStream() facts {
	stream, err := openStream(w.connection)
	if err != nil {
		return factsOfEnd(err)
	}
	defer stream.close()
	w.mu.Lock()
	w.stream, w.up, w.left, w.moving = stream, false, false, false
	w.taking, w.draining = !w.stopping, false
	w.runs.forgetBuffered()
	w.window = w.wanted()
	w.began = time.Now()
	stream.send(w.session.open(w.window, &w.runs, w.reports.ackedThrough()))
	w.mu.Unlock()
	defer w.down()
	for {
		message, err := stream.receive()
		if err != nil {
			return factsOfEnd(err)
		}
		w.mu.Lock()
		w.received(stream, message)
		w.mu.Unlock()
	}
}

func (w *Worker) down() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up, w.stream = false, nil
	if w.beats != nil {
		w.beats.Stop()
	}
	if w.wish != nil {
		w.wish.Stop()
	}
	if w.isOver() {
		w.leaveIfDone()
	}
}

// prepareNext tells whether another stream is to follow at once.
func (w *Worker) prepareNext(end facts) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if end.over() {
		w.session.restart()
		w.reports.restart()
	}
	return w.moving
}

func (w *Worker) backOff(end facts, lived time.Duration) {
	w.failures++
	if lived > goodStream {
		w.failures = 1
	}
	bound := min(lastBackoff, firstBackoff<<min(w.failures-1, 10))
	select {
	case <-time.After(max(rand.N(bound), end.retryAfter)):
	case <-w.wake:
		// It stops while it holds jobs: a short wait, without a tight circle.
		time.Sleep(firstBackoff)
	}
}
