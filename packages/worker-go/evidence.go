package worker

import "time"

// lookAtLeases is how often the worker's own clock is held against its leases.
const lookAtLeases = 50 * time.Millisecond

// evidence is what the worker knows of its leases without being told that one is lost: a heartbeat that was answered
// has kept them from the moment at which it was sent. The worker's lock guards it.
type evidence struct {
	lock time.Duration // 0: no stream was open yet.
	last time.Time
	sent map[uint32]time.Time // Heartbeats of this stream without an answer, by seq.
}

// opened: the gateway has kept what it has not rejected since the stream began.
func (e *evidence) opened(began time.Time, heartbeat time.Duration) {
	e.lock = 3 * heartbeat
	e.sent = map[uint32]time.Time{}
	e.kept(began)
}

func (e *evidence) beat(seq uint32, at time.Time) {
	if e.sent != nil {
		e.sent[seq] = at
	}
}

func (e *evidence) answered(seq uint32) {
	at, known := e.sent[seq]
	if !known {
		return
	}
	for other := range e.sent {
		if other <= seq {
			delete(e.sent, other)
		}
	}
	e.kept(at)
}

func (e *evidence) kept(at time.Time) {
	if at.After(e.last) {
		e.last = at
	}
}

// mayBeOver tells whether somebody else may hold what was delivered then.
func (e *evidence) mayBeOver(delivered, now time.Time) bool {
	from := e.last
	if delivered.After(from) {
		from = delivered
	}
	return e.lock > 0 && now.Sub(from) >= e.lock
}

// watchLeases ends runs whose leases nobody has confirmed for the life of a lock, until the worker is done: whatever
// the gateway knows, the job may run elsewhere by now. It returns when done is closed.
func (w *Worker) watchLeases(done <-chan struct{}) {
	looks := time.NewTicker(lookAtLeases)
	defer looks.Stop()
	for {
		select {
		case <-looks.C:
			w.mu.Lock()
			now := time.Now()
			for _, each := range append(w.runs.in(buffered), w.runs.in(running)...) {
				if w.evidence.mayBeOver(each.since, now) {
					w.tell(each.token(), over)
				}
			}
			w.mu.Unlock()
		case <-done:
			return
		}
	}
}
