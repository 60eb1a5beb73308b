package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pb "echomq.example/worker/gen/echomq/v1"
)

func (s *stage) handle(ctx context.Context, job *Job) (any, error) {
	switch job.Name {
	case "sum":
		var all []int
		err := job.Decode(&all)
		sum := 0
		for _, each := range all {
			sum += each
		}
		return sum, err
	case "raw":
		return job.Data, nil
	case "error":
		return nil, fmt.Errorf("outer: %w", errors.New("it is wrong"))
	case "final":
		return nil, NonRetryable(errors.New("never"))
	case "panic":
		panic("oh")
	case "leaves":
		runtime.Goexit()
	case "talks":
		job.Log(append(slices.Repeat([]string{"a\xffb"}, 150), strings.Repeat("x", 70_000), strings.Repeat("é", 40_000))...)
	case "too much":
		return nil, job.Progress(strings.Repeat("x", 5<<20))
	case "nan":
		return math.NaN(), nil
	case "large":
		return strings.Repeat("x", 5<<20), nil
	case "delay":
		return nil, Delay(1500*time.Millisecond, true)
	case "children":
		return nil, AwaitChildren()
	case "stubborn":
		s.begun <- job
		<-s.release
		return nil, nil
	case "tells":
		if err := job.Progress(map[string]bool{"half": true}); err != nil {
			return nil, err
		}
		job.Log("one", "two")
	}
	s.begun <- job
	select {
	case <-s.release:
		return "done", nil
	case <-ctx.Done():
		s.causes <- context.Cause(ctx)
		return nil, ctx.Err()
	}
}

func TestSaysWhoItIs(t *testing.T) {
	s := newStage(t, Options{Concurrency: 2, Name: "it"})
	open := s.first.open
	if open.GetWorker().GetName() != "it" || open.GetWorker().GetSdk().GetLanguage() != "go" {
		t.Error(open.GetWorker())
	}
	if open.GetLoad().GetCapacity() != 2 || open.GetSubscriptions()[0].GetMaxInFlight() != 2 {
		t.Error(open)
	}
	if got := s.first.metadata.Get("authorization"); len(got) != 1 || got[0] != "Bearer secret" {
		t.Error(got)
	}
}

func TestReportsWhatAHandlerReturns(t *testing.T) {
	s := newStage(t, Options{})
	for name, want := range map[string][2]string{
		"sum": {"[2,3]", "5"},
		"raw": {`{ "a":1.0 }`, `{ "a":1.0 }`},
	} {
		job := s.job(name, want[0])
		s.first.deliver(job)
		report := s.first.report(job, 1)
		if got := string(report.GetOutcome().GetComplete().GetReturnValue()); got != want[1] {
			t.Errorf("%s: %s", name, got)
		}
		s.first.ack(report)
	}
}

func TestReportsErrors(t *testing.T) {
	s := newStage(t, Options{})
	again, never := pb.RetryMode_RETRY_MODE_DEFAULT, pb.RetryMode_RETRY_MODE_NEVER
	for _, want := range []struct {
		name, message string
		retry         pb.RetryMode
	}{
		{"error", "outer: it is wrong", again}, {"final", "never", never}, {"panic", "panic: oh", again},
		{"leaves", "left its goroutine", again}, {"too much", "too many", again}, {"nan", "json", never}, {"large", "too many", never},
	} {
		job := s.job(want.name, "{}")
		s.first.deliver(job)
		report := s.first.report(job, 1)
		fail := report.GetOutcome().GetFail()
		if !strings.Contains(fail.GetMessage(), want.message) || fail.GetRetry() != want.retry {
			t.Errorf("%s: %v", want.name, fail)
		}
		if fail.GetErrorName() == "" || len(fail.GetStack()) == 0 {
			t.Errorf("%s has no name or no stack: %v", want.name, fail)
		}
		s.first.ack(report)
	}
}

func TestNoErrorStaysNone(t *testing.T) {
	if err := NonRetryable(nil); err != nil {
		t.Error(err)
	}
}

func TestSendsNoResultThatTheGatewayCannotTake(t *testing.T) {
	s := newStageWith(t, Options{}, &pb.ServerInfo{Limits: &pb.ServerLimits{MaxMessageBytes: 131_072}})
	for size, fails := range map[int]bool{65_536: false, 65_537: true} {
		job := s.job("raw", strings.Repeat("1", size))
		s.first.deliver(job)
		report := s.first.report(job, 1)
		if (report.GetOutcome().GetFail() != nil) != fails {
			t.Errorf("%d bytes: %v", size, report.GetOutcome())
		}
		s.first.ack(report)
	}
}

func TestGivesJobsBackAsAsked(t *testing.T) {
	s := newStage(t, Options{})
	delay, children := s.job("delay", "{}"), s.job("children", "{}")
	s.first.deliver(delay, children)
	report := s.first.report(delay, 1)
	if out := report.GetOutcome().GetDelay(); out.GetDelay().AsDuration() != 1500*time.Millisecond || !out.GetSkipAttempt() {
		t.Error(out)
	}
	s.first.ack(report)
	report = s.first.report(children, 1)
	if report.GetOutcome().GetAwaitChildren() == nil {
		t.Error(report)
	}
	s.first.ack(report)
}

func TestAcceptsBeforeTheHandlerIsHeardOf(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("tells", "{}")
	s.first.deliver(job)
	s.first.until("log lines", func(seen []*pb.WorkRequest) bool {
		var kinds []string
		for _, each := range seen {
			if strings.Contains(each.String(), job.GetLease().GetLeaseToken()) {
				kinds = append(kinds, fmt.Sprintf("%T", each.GetMessage()))
			}
		}
		if len(kinds) < 3 {
			return false
		}
		if want := "[*echomqv1.WorkRequest_Heartbeat *echomqv1.WorkRequest_Progress *echomqv1.WorkRequest_Logs]"; fmt.Sprint(kinds[:3]) != want {
			t.Error(kinds)
		}
		return true
	})
	close(s.release)
	s.first.ack(s.first.report(job, 1))
}

func TestSendsALogInPartsThatAGatewayTakes(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("talks", "{}")
	s.first.deliver(job)
	<-s.begun
	close(s.release)
	s.first.ack(s.first.report(job, 1))
	var parts [][]string
	s.first.until("log lines", func(seen []*pb.WorkRequest) bool {
		parts = nil
		for _, each := range seen {
			if logs := each.GetLogs(); logs != nil {
				parts = append(parts, logs.GetLines())
			}
		}
		return len(parts) == 4
	})
	if len(parts[0]) != 100 || len(parts[1]) != 50 || parts[1][49] != "a\uFFFDb" {
		t.Error(parts[1])
	}
	if len(parts[2][0]) != 65_536 || parts[3][0] != strings.Repeat("é", 32_768) {
		t.Error(len(parts[2][0]), len(parts[3][0]))
	}
}

func TestGivesAJobBackWhoseDataCannotBeHadJustNow(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("sum", "")
	job.DataOmitted = true
	s.unavailable = true
	s.first.deliver(job)
	report := s.first.report(job, 1)
	if report.GetOutcome().GetRelease() == nil {
		t.Error(report)
	}
	s.first.ack(report)
}

func TestStopsTheHandlerOfALostLease(t *testing.T) {
	s := newStage(t, Options{Concurrency: 1})
	job, other := s.job("wait", "{}"), s.job("sum", "[1]")
	s.first.deliver(job)
	<-s.begun
	s.first.signal(job, pb.JobSignalKind_JOB_SIGNAL_KIND_LOCK_LOST)
	if cause := <-s.causes; cause != ErrLeaseLost {
		t.Error(cause)
	}
	s.first.deliver(other)
	s.first.ack(s.first.report(other, 1))
	s.first.mu.Lock()
	defer s.first.mu.Unlock()
	for _, each := range s.first.seen {
		if proto.Equal(each.GetReport().GetLease(), job.GetLease()) {
			t.Error("a lost run was reported")
		}
	}
}

func TestReportsACancelledJob(t *testing.T) {
	s := newStage(t, Options{})
	job := s.job("wait", "{}")
	s.first.deliver(job)
	<-s.begun
	s.first.signal(job, pb.JobSignalKind_JOB_SIGNAL_KIND_CANCEL_REQUESTED)
	report := s.first.report(job, 1)
	if got := report.GetOutcome().GetFail().GetMessage(); got != "cancelled" {
		t.Error(got)
	}
	s.first.ack(report)
}

func TestGivesBackWhatIsRecalledAndNotBegun(t *testing.T) {
	s := newStage(t, Options{Concurrency: 1, Buffer: 1})
	jobs := []*pb.DeliveredJob{s.job("wait", "{}"), s.job("wait", "{}")}
	s.first.deliver(jobs...)
	<-s.begun
	for _, job := range jobs {
		s.first.signal(job, pb.JobSignalKind_JOB_SIGNAL_KIND_RECALL)
	}
	report := s.first.report(jobs[1], 1)
	if !report.GetOutcome().GetRelease().GetToFront() {
		t.Error(report)
	}
	s.first.ack(report)
	close(s.release)
	report = s.first.report(jobs[0], 1)
	if got := string(report.GetOutcome().GetComplete().GetReturnValue()); got != `"done"` {
		t.Error(got)
	}
	s.first.ack(report)
}
