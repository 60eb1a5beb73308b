package worker

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	pb "echomq.example/worker/gen/echomq/v1"
)

func TestRepeatsAnUnansweredReportOnTheNextStream(t *testing.T) {
	s := newStage(t, Options{Concurrency: 2})
	sum, wait := s.job("sum", "[1]"), s.job("wait", "{}")
	s.first.deliver(sum, wait)
	before := s.first.report(sum, 1)
	<-s.begun
	s.first.end <- refusal(codes.Unavailable, "GATEWAY_DRAINING", 0)
	then := s.stream()
	if then.open.GetEpoch() != 1 || then.open.GetWorker().GetSessionId() != s.first.open.GetWorker().GetSessionId() {
		t.Error(then.open)
	}
	if len(then.open.GetHeld()) != 2 {
		t.Error(then.open.GetHeld())
	}
	if again := then.report(sum, 1); !proto.Equal(again, before) {
		t.Error(again)
	}
	then.ack(before)
	close(s.release)
	then.ack(then.report(wait, 1))
}

func TestBeginsANewSessionWhenTheOldOneIsOver(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("sum", "[1]")
	s.first.deliver(job)
	s.first.report(job, 1)
	s.first.end <- refusal(codes.Aborted, "WORKER_UNRESPONSIVE", -1)
	then := s.stream()
	if then.open.GetEpoch() != 0 || then.open.GetWorker().GetSessionId() == s.first.open.GetWorker().GetSessionId() {
		t.Error(then.open)
	}
	report := then.report(job, 1)
	if report.GetReportId() != 1 {
		t.Error(report)
	}
	then.ack(report)
}

func TestFollowsARefusedReport(t *testing.T) {
	s := newStage(t, Options{})
	again, failing, gone := s.job("sum", "[1]"), s.job("sum", "[2]"), s.job("sum", "[3]")
	s.first.deliver(again)
	report := s.first.report(again, 1)
	s.first.refuse(report, refusal(codes.Unavailable, "BACKEND_UNAVAILABLE", 100*time.Millisecond))
	if second := s.first.report(again, 2); second.GetReportId() != report.GetReportId() {
		t.Error(second)
	}
	s.first.ack(report)

	s.first.deliver(failing)
	report = s.first.report(failing, 1)
	s.first.refuse(report, refusal(codes.InvalidArgument, "PAYLOAD_TOO_LARGE", -1))
	second := s.first.report(failing, 2)
	fail := second.GetOutcome().GetFail()
	if second.GetReportId() <= report.GetReportId() || fail.GetRetry() != pb.RetryMode_RETRY_MODE_NEVER {
		t.Error(second)
	}
	s.first.ack(second)

	s.first.deliver(gone)
	s.first.refuse(s.first.report(gone, 1), refusal(codes.FailedPrecondition, "LOCK_LOST", -1))
}

func TestReadsDataThatADeliveryLeavesOut(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("raw", "")
	want, _ := json.Marshal(strings.Repeat("é", 1000))
	s.payloads[job.GetLease().GetLeaseToken()] = want
	job.DataOmitted = true
	s.first.deliver(job)
	report := s.first.report(job, 1)
	if got := report.GetOutcome().GetComplete().GetReturnValue(); string(got) != string(want) {
		t.Error(len(got))
	}
	s.first.ack(report)
}

func TestGivesBackAtTheEndWhatTakesTooLong(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("wait", "{}")
	s.first.deliver(job)
	<-s.begun
	s.stop()
	report := s.first.report(job, 1)
	if !report.GetOutcome().GetRelease().GetToFront() {
		t.Error(report)
	}
	s.first.ack(report)
	s.first.until("window 0, then drain", func(seen []*pb.WorkRequest) bool {
		closed := false
		for _, each := range seen {
			closed = closed || (each.GetWindow() != nil && each.GetWindow().GetMaxInFlight() == 0)
			if each.GetDrain() != nil {
				return closed
			}
		}
		return false
	})
	<-s.first.halfClosed
}

func TestRefusesWhatNobodyCanMean(t *testing.T) {
	here := Connection{Address: "127.0.0.1:1"}
	handle := func(context.Context, *Job) (any, error) { return nil, nil }
	for name, make := range map[string]func() (*Worker, error){
		"a token in the open": func() (*Worker, error) {
			return New(Connection{Address: "example.com:1", Token: "x"}, "q", handle, Options{})
		},
		"a token to a name like loopback": func() (*Worker, error) {
			return New(Connection{Address: "127.example.com:1", Token: "x"}, "q", handle, Options{})
		},
		"no address":           func() (*Worker, error) { return New(Connection{}, "q", handle, Options{}) },
		"no queue":             func() (*Worker, error) { return New(here, "", handle, Options{}) },
		"no handler":           func() (*Worker, error) { return New(here, "q", nil, Options{}) },
		"negative concurrency": func() (*Worker, error) { return New(here, "q", handle, Options{Concurrency: -1}) },
		"negative buffer":      func() (*Worker, error) { return New(here, "q", handle, Options{Buffer: -1}) },
		"a short lock":         func() (*Worker, error) { return New(here, "q", handle, Options{LockDuration: time.Millisecond}) },
		"a long lock":          func() (*Worker, error) { return New(here, "q", handle, Options{LockDuration: 2 * time.Hour}) },
	} {
		if _, err := make(); err == nil {
			t.Error(name, "was taken")
		}
	}
	for _, address := range []string{"localhost:1", "127.0.0.2:1", "[::1]:1", "unix:gateway.sock"} {
		if _, err := New(Connection{Address: address, Token: "x"}, "q", handle, Options{}); err != nil {
			t.Error(address, err)
		}
	}
}
