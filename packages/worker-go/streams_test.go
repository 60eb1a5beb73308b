package worker

import (
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"

	pb "echomq.example/worker/gen/echomq/v1"
)

const (
	reconnect = pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_RECONNECT
	quiet     = pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_QUIET
	drain     = pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_DRAIN
	goOn      = pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_UNSPECIFIED
)

func (s *stage) works(on *fakeStream) {
	s.t.Helper()
	job := s.job("sum", "[1]")
	on.deliver(job)
	on.ack(on.report(job, 1))
}

func TestServesOnTheOldStreamUntilTheNewOneIsOpen(t *testing.T) {
	s := newStage(t, Options{Concurrency: 2})
	running := s.job("wait", "{}")
	s.first.deliver(running)
	<-s.begun
	open := s.holdStreams()
	s.first.direct(reconnect)
	then := s.stream()
	if then.open.GetEpoch() != 1 || len(then.open.GetHeld()) != 1 || then.open.GetSubscriptions()[0].GetMaxInFlight() != 2 {
		t.Error(then.open)
	}
	// Not open yet: what is delivered on the old one goes back, what ends is reported there.
	late := s.job("sum", "[1]")
	s.first.deliver(late)
	report := s.first.report(late, 1)
	if !report.GetOutcome().GetRelease().GetToFront() {
		t.Error(report)
	}
	s.first.ack(report)
	close(s.release)
	// Unread it would be reported again on the new one.
	s.first.acked(s.first.report(running, 1))
	select {
	case <-s.first.gone:
		t.Error("the old stream was left too early")
	default:
	}
	open()
	<-s.first.gone
	s.works(then)
}

func TestGoesOnWhenTheGatewayEndsTheStreamThatIsLeft(t *testing.T) {
	s := newStage(t, Options{})
	open := s.holdStreams()
	s.first.direct(reconnect)
	then := s.stream()
	s.first.end <- refusal(codes.Aborted, "SESSION_SUPERSEDED", -1)
	<-s.first.gone
	open()
	<-then.opened
	s.works(then)
	if then.open.GetWorker().GetSessionId() != s.first.open.GetWorker().GetSessionId() || len(s.streams) > 0 {
		t.Error("the session did not go on")
	}
}

func TestKeepsTheOldStreamWhereNoOtherIsToBeHad(t *testing.T) {
	s := newStage(t, Options{})
	s.mu.Lock()
	s.refuses = 2
	s.mu.Unlock()
	s.first.direct(reconnect)
	then := s.stream()
	<-s.first.gone
	s.works(then)
	if epoch := then.open.GetEpoch(); epoch != 3 {
		t.Error(epoch)
	}
}

func TestTakesNoMoreWhileItIsToBeQuiet(t *testing.T) {
	s := newStage(t, Options{Concurrency: 2})
	s.first.direct(quiet)
	s.first.window(0)
	s.first.direct(goOn)
	s.first.window(2)
}

func TestDrainsAsAskedAndComesBack(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("wait", "{}")
	s.first.deliver(job)
	<-s.begun
	s.first.direct(drain)
	s.first.window(0)
	close(s.release)
	s.first.ack(s.first.report(job, 1))
	<-s.first.halfClosed
	if epoch := s.stream().open.GetEpoch(); epoch != 1 {
		t.Error(epoch)
	}
}

func TestComesBackToAGatewayThatWasGone(t *testing.T) {
	s := newStage(t, Options{})
	s.mu.Lock()
	s.refuses = 2
	s.mu.Unlock()
	s.first.end <- refusal(codes.Unavailable, "GATEWAY_DRAINING", 0)
	s.works(s.stream())
}

func TestAsksForLessWhileTheHandlerOfALostJobDoesNotStop(t *testing.T) {
	s := newStage(t, Options{Concurrency: 2})
	job := s.job("stubborn", "{}")
	s.first.deliver(job)
	<-s.begun
	s.first.signal(job, pb.JobSignalKind_JOB_SIGNAL_KIND_REMOVED)
	s.first.window(1)
	close(s.release)
	s.first.window(2)
}

func TestFailsAJobWhoseDataAreBrokenAndGoesOn(t *testing.T) {
	s := newStage(t, Options{})
	for _, data := range []string{"\"\xff\xfe\"", "{", ""} {
		job := s.job("sum", data)
		s.first.deliver(job)
		report := s.first.report(job, 1)
		if report.GetOutcome().GetFail() == nil {
			t.Error(fmt.Sprintf("%q", data), report)
		}
		s.first.ack(report)
	}
	s.works(s.first)
}
