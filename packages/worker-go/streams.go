package worker

import (
	"math/rand/v2"
	"time"

	pb "echomq.example/worker/gen/echomq/v1"
)

const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
	// A stream that lived so long was a good one: the next backoff begins anew.
	goodStream = 5 * time.Second
)

// attempt is a stream that was asked for, and how that went.
type attempt struct {
	stream *stream
	opened *pb.WorkOpened // nil: it did not come about.
	end    facts          // Why it did not.
	began  time.Time
	window int // What its open asks for.
}

// ask opens a stream and waits for the gateway's first word.
func (w *Worker) ask() attempt {
	try := attempt{began: time.Now()}
	stream, err := openStream(w.connection)
	if err != nil {
		try.end = factsOfEnd(err)
		return try
	}
	try.stream = stream
	w.mu.Lock()
	w.asked = stream
	w.runs.forgetBuffered()
	try.window = w.room()
	stream.send(w.session.open(try.window, &w.runs, w.reports.ackedThrough()))
	w.mu.Unlock()
	for try.opened == nil && err == nil {
		var message *pb.WorkResponse
		message, err = stream.receive()
		try.opened = message.GetOpened()
	}
	w.mu.Lock()
	w.asked = nil
	w.mu.Unlock()
	if err != nil {
		try.end = factsOfEnd(err)
		stream.close()
	}
	return try
}

// next gives the stream that follows, whether somebody asks for it already or not.
func (w *Worker) next() attempt {
	w.mu.Lock()
	moving := w.moving
	w.mu.Unlock()
	if moving == nil {
		return w.ask()
	}
	try := <-moving
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moving = nil
	return try
}

// live is one stream from its first message to its end.
func (w *Worker) live(try attempt) facts {
	defer try.stream.close()
	w.mu.Lock()
	w.stream, w.up, w.left = try.stream, true, false
	w.taking, w.draining = !w.stopping, false
	w.window = try.window
	w.opened(try)
	w.mu.Unlock()
	defer w.down()
	for {
		message, err := try.stream.receive()
		if err != nil {
			return factsOfEnd(err)
		}
		w.mu.Lock()
		w.received(try.stream, message)
		w.mu.Unlock()
	}
}

// move asks for the stream that is to follow until there is one; the old one serves meanwhile, and is then left.
func (w *Worker) move(old *stream, moved chan<- attempt) {
	for failures := 1; ; failures++ {
		try := w.ask()
		if try.opened != nil || old.over() || w.isStopping() {
			moved <- try
			if try.opened != nil {
				old.leave()
			}
			return
		}
		select {
		case <-time.After(backoff(failures, try.end)):
		case <-old.gone:
		case <-w.wake:
			moved <- try
			return
		}
	}
}

func (w *Worker) isStopping() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopping
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

// prepareNext tells whether another stream is on its way already. Then the end of the old one says nothing: a gateway
// that has the new one ends it.
func (w *Worker) prepareNext(end facts) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moving != nil {
		return true
	}
	if end.over() {
		w.session.restart()
		w.reports.restart()
	}
	return false
}

func (w *Worker) backOff(end facts, lived time.Duration) {
	w.mu.Lock()
	w.failures++
	if lived > goodStream {
		w.failures = 1
	}
	wait := backoff(w.failures, end)
	w.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-w.wake:
		// It stops while it holds jobs: a short wait, without a tight circle.
		time.Sleep(firstBackoff)
	}
}

func backoff(failures int, end facts) time.Duration {
	bound := min(lastBackoff, firstBackoff<<min(failures-1, 10))
	return max(rand.N(bound), end.retryAfter)
}
