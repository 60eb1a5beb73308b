package worker

import (
	"log/slog"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc/status"

	pb "echomq.example/worker/gen/echomq/v1"
)

// againAfter is the wait before a report is repeated whose refusal names no time.
const againAfter = time.Second

type entry struct {
	report  *pb.WorkReport
	run     *run
	waiting bool
}

// reports are those of a session that have no answer. The worker's lock guards them; later takes it.
type reports struct {
	entries map[uint32]*entry
	next    uint32

	send  func(*pb.WorkRequest)
	done  func(*run) // The job is out of the worker's hands.
	later func(time.Duration, func())
}

// ackedThrough: all reports up to this one are answered.
func (r *reports) ackedThrough() uint32 {
	lowest := r.next
	for id := range r.entries {
		lowest = min(lowest, id)
	}
	return lowest - 1
}

// report ends the hold of a job.
func (r *reports) report(of *run, outcome *pb.JobOutcome) {
	of.state = reported
	r.sendOne(r.enter(of, outcome))
}

// resend: a new stream is up. All that has no answer goes again, unchanged, but for what has to wait.
func (r *reports) resend() {
	for _, id := range slices.Sorted(maps.Keys(r.entries)) {
		if each := r.entries[id]; !each.waiting {
			r.sendOne(each)
		}
	}
}

// restart: a new session, whose numbers begin anew. Nothing is sent before its stream is up.
func (r *reports) restart() {
	old := r.entries
	r.entries, r.next = map[uint32]*entry{}, 1
	for _, id := range slices.Sorted(maps.Keys(old)) {
		r.enter(old[id].run, old[id].report.GetOutcome())
	}
}

// answered: the gateway has answered a report.
func (r *reports) answered(ack *pb.WorkReportAck) {
	id := ack.GetReportId()
	each := r.entries[id]
	if each == nil || ack.GetOutcome() == nil {
		return
	}
	var follows *pb.JobOutcome
	if refusal := ack.GetError(); refusal != nil {
		found := factsOf(status.FromProto(refusal))
		if after, again := repeats(found); again {
			each.waiting = true
			r.later(after, func() { r.again(id, each) })
			return
		}
		follows = afterRefusal(each, found)
	}
	delete(r.entries, id)
	if follows != nil {
		r.report(each.run, follows)
	} else {
		r.done(each.run)
	}
}

func (r *reports) again(id uint32, each *entry) {
	each.waiting = false
	if r.entries[id] == each {
		r.sendOne(each)
	}
}

func (r *reports) enter(of *run, outcome *pb.JobOutcome) *entry {
	each := &entry{run: of, report: &pb.WorkReport{
		ReportId:     r.next,
		AckedThrough: r.ackedThrough(),
		Lease:        of.delivered.GetLease(),
		Outcome:      outcome,
	}}
	r.entries[r.next] = each
	r.next++
	return each
}

func (r *reports) sendOne(each *entry) {
	r.send(&pb.WorkRequest{Message: &pb.WorkRequest_Report{Report: each.report}})
}

// repeats tells whether the same report may go again, and when: nothing was stored, or nobody knows.
func repeats(found facts) (time.Duration, bool) {
	switch found.reason {
	case "OUTCOME_UNKNOWN", "BACKEND_UNAVAILABLE", "DEADLINE_EXCEEDED":
		return max(found.retryAfter, againAfter), true
	}
	return found.retryAfter, found.retries
}

// afterRefusal gives the outcome to report instead; nil where the lease is over.
func afterRefusal(each *entry, found facts) *pb.JobOutcome {
	switch found.reason {
	case "LOCK_LOST", "LOCK_NOT_OWNED", "JOB_NOT_FOUND", "JOB_NOT_IN_STATE":
		return nil
	case "JOB_HAS_PENDING_CHILDREN":
		return awaitChildren()
	}
	if each.run.refused { // The lock lapses, and the job goes to somebody else.
		slog.Error("a report was refused twice", "job", each.run.delivered.GetLease().GetJobId(), "error", found.message)
		return nil
	}
	each.run.refused = true
	what := found.reason
	if what == "" {
		what = found.message
	}
	outcome := &pb.FailOutcome{
		ErrorName: "RefusedOutcome",
		Message:   "the gateway refused the outcome: " + what,
		Retry:     pb.RetryMode_RETRY_MODE_DEFAULT,
	}
	succeeded := each.report.GetOutcome().GetComplete() != nil
	if succeeded && found.reason != "JOB_HAS_FAILED_CHILDREN" {
		outcome.Retry = pb.RetryMode_RETRY_MODE_NEVER
	}
	return &pb.JobOutcome{Kind: &pb.JobOutcome_Fail{Fail: outcome}}
}
