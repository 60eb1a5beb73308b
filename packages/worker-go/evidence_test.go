package worker

import (
	"testing"
	"time"

	pb "echomq.example/worker/gen/echomq/v1"
)

func TestStopsByItsOwnClockWhatNoHeartbeatConfirms(t *testing.T) {
	s := newStage(t, Options{})
	s.first.deaf.Store(true)
	job := s.job("wait", "{}")
	s.first.deliver(job)
	<-s.begun
	// The fake gateway has a lock of three seconds and answers no heartbeat here: the worker lives on and holds nothing.
	s.first.until("a heartbeat without the job", func(seen []*pb.WorkRequest) bool {
		named := false
		for _, each := range seen {
			if each.GetReport() != nil {
				t.Error("a lost job was reported")
			}
			if beat := each.GetHeartbeat(); beat != nil {
				holds := len(beat.GetHeld().GetJobs()) > 0
				if named && !holds {
					return true
				}
				named = named || holds
			}
		}
		return false
	})
}

func TestEvidence(t *testing.T) {
	start := time.Now()
	at := func(seconds float64) time.Time {
		return start.Add(time.Duration(seconds * float64(time.Second)))
	}
	var e evidence
	if e.mayBeOver(at(0), at(100)) {
		t.Error("nothing is known before a stream was open")
	}
	e.opened(at(0), time.Second)
	e.beat(1, at(1))
	e.beat(2, at(2))
	for _, each := range []struct {
		delivered, now float64
		over           bool
	}{{0, 2.9, false}, {0, 3, true}, {2, 4.9, false}, {2, 5, true}} {
		if e.mayBeOver(at(each.delivered), at(each.now)) != each.over {
			t.Error(each)
		}
	}
	// An answer counts from when its heartbeat was sent, and one that comes late changes nothing.
	e.answered(2)
	e.answered(1)
	if e.mayBeOver(at(0), at(4.9)) || !e.mayBeOver(at(0), at(5)) {
		t.Error("counted from another moment")
	}
	e.opened(at(4), time.Second)
	if e.mayBeOver(at(0), at(6.9)) || !e.mayBeOver(at(0), at(7)) {
		t.Error("the open did not count")
	}
}
