package worker

import (
	"slices"

	pb "echomq.example/worker/gen/echomq/v1"
)

// runs holds the jobs in a worker's hands, in the order in which they came, and keeps no more handlers running than
// the concurrency says. The worker's lock guards it.
type runs struct {
	concurrency int
	held        []*run
	active      map[*run]struct{} // Handlers alive, those of lost jobs included.

	accept func()     // Sends a heartbeat.
	start  func(*run) // Runs the handler on a goroutine.
	report func(*run, *pb.JobOutcome)
}

func (r *runs) find(token string) *run {
	for _, each := range r.held {
		if each.token() == token {
			return each
		}
	}
	return nil
}

func (r *runs) in(state runState) []*run {
	var found []*run
	for _, each := range r.held {
		if each.state == state {
			found = append(found, each)
		}
	}
	return found
}

// zombies counts handlers of lost jobs that have not stopped yet.
func (r *runs) zombies() (count int) {
	for each := range r.active {
		if each.state == lost {
			count++
		}
	}
	return count
}

// add takes what was delivered, or gives it back where nothing is taken any more.
func (r *runs) add(jobs []*pb.DeliveredJob, taking bool) {
	for _, job := range jobs {
		each := newRun(job)
		r.held = append(r.held, each)
		if !taking {
			r.report(each, released())
		}
	}
	if !r.begin() {
		r.accept()
	}
}

// begin starts as many as may run; the heartbeat that says so goes first.
func (r *runs) begin() bool {
	first := r.in(buffered)
	first = first[:min(len(first), max(0, r.concurrency-len(r.active)))]
	for _, each := range first {
		each.state, each.begun = running, true
		r.active[each] = struct{}{}
	}
	if len(first) > 0 {
		r.accept()
	}
	for _, each := range first {
		r.start(each)
	}
	return len(first) > 0
}

// ended: the handler has returned.
func (r *runs) ended(each *run, outcome *pb.JobOutcome) {
	delete(r.active, each)
	each.cancel(nil)
	if each.state == running {
		r.report(each, outcome)
	}
	r.begin()
}

// end: the report was answered.
func (r *runs) end(each *run) {
	r.held = slices.DeleteFunc(r.held, func(other *run) bool { return other == each })
}

// forgetBuffered: the stream is gone, and with it what had not begun.
func (r *runs) forgetBuffered() {
	r.held = slices.DeleteFunc(r.held, func(each *run) bool { return each.state == buffered })
}

func (r *runs) releaseBuffered() {
	for _, each := range r.in(buffered) {
		r.report(each, released())
	}
}

func (r *runs) releaseRunning() {
	for _, each := range r.in(running) {
		each.cancel(ErrStopping)
	}
}

// fate is what the gateway's words about a lease come down to.
type fate int

const (
	stays fate = iota // Also what a newer gateway says.
	over
	cancels
	recalled
)

func fateOfSignal(kind pb.JobSignalKind) fate {
	switch kind {
	case pb.JobSignalKind_JOB_SIGNAL_KIND_LOCK_LOST, pb.JobSignalKind_JOB_SIGNAL_KIND_REMOVED,
		pb.JobSignalKind_JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME:
		return over
	case pb.JobSignalKind_JOB_SIGNAL_KIND_CANCEL_REQUESTED:
		return cancels
	case pb.JobSignalKind_JOB_SIGNAL_KIND_RECALL:
		return recalled
	}
	return stays
}

func fateOfStatus(status pb.LeaseStatus) fate {
	switch status {
	case pb.LeaseStatus_LEASE_STATUS_LOST, pb.LeaseStatus_LEASE_STATUS_NOT_OWNED,
		pb.LeaseStatus_LEASE_STATUS_NOT_FOUND:
		return over
	case pb.LeaseStatus_LEASE_STATUS_CANCEL_REQUESTED:
		return cancels
	}
	return stays
}

// tell carries a fate out. A reported run has none: the report's answer will say it.
func (r *runs) tell(token string, what fate) {
	each := r.find(token)
	if each == nil || each.state == reported {
		return
	}
	switch {
	case what == over:
		r.end(each)
		each.state = lost
		each.cancel(ErrLeaseLost)
	case what == cancels && each.state == running:
		each.cancel(ErrCancelRequested)
	case what == cancels:
		r.report(each, failed(ErrCancelRequested))
	case what == recalled && each.state == buffered:
		r.report(each, released())
	}
}
