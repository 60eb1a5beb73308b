// Package worker runs the jobs of an EchoMQ queue: write a [Handler], and the worker protocol is done for you.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
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
	asked    *stream      // Another one, which has not answered yet.
	moving   chan attempt // Brings the one that follows; nil: none was wished for.
	up       bool         // The stream is open.
	left     bool         // Drain was sent on it.
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

	maxJSON atomic.Int64 // What a message of the last stream may have of it.
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
	if lock := options.LockDuration; lock != 0 && (lock < time.Second || lock > time.Hour) {
		return nil, errors.New("the lock duration is 1 s to 1 h")
	}
	if queue == "" || handler == nil {
		return nil, errors.New("a worker has a queue and a handler")
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
		try := w.next()
		end := try.end
		if try.opened != nil {
			end = w.live(try)
		}
		if w.over() {
			break
		}
		if !w.prepareNext(end) {
			slog.Warn("the stream ended", "worker", w.session.info.GetName(), "reason", end.reason, "error", end.message)
			w.backOff(end, time.Since(try.began))
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
	// One that is not needed any more: another is up, or there is nothing to say.
	if w.asked != nil && (w.up || len(w.runs.held) == 0) {
		w.asked.leave()
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
		for _, each := range []*stream{w.stream, w.asked} {
			if each != nil {
				each.leave()
			}
		}
		return errors.New("jobs were left without an answer")
	}
}
