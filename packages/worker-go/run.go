package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	pb "echomq.example/worker/gen/echomq/v1"
)

const (
	maxMessage = 4_096
	maxStack   = 8_192
	// What a gateway takes of a log at once.
	maxLogLines = 100
	maxLogBytes = 65_536
)

type runState int

const (
	buffered runState = iota
	running
	reported
	lost
)

// run is one delivery of a job, from its arrival to its report. Told apart by its token: the same job may be here
// twice.
type run struct {
	delivered *pb.DeliveredJob
	state     runState
	begun     bool
	refused   bool      // The gateway has refused an outcome already.
	since     time.Time // When it came.
	ctx       context.Context
	cancel    context.CancelCauseFunc
}

func newRun(delivered *pb.DeliveredJob) *run {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &run{delivered: delivered, since: time.Now(), ctx: ctx, cancel: cancel}
}

func (r *run) token() string { return r.delivered.GetLease().GetLeaseToken() }

// errLeft: the goroutine of a handler was ended ([runtime.Goexit]), as a test's FailNow does.
var errLeft = errors.New("the handler has left its goroutine")

// outcomeOf runs a handler to its end, whatever that is, and hands the outcome to ended.
func outcomeOf(ctx context.Context, handler Handler, job *Job, ended func(*pb.JobOutcome)) {
	var outcome *pb.JobOutcome
	defer func() {
		if panicked := recover(); panicked != nil {
			outcome = failure(fmt.Errorf("panic: %v", panicked), "panic", string(debug.Stack()))
		} else if outcome == nil {
			outcome = failed(errLeft)
		}
		ended(outcome)
	}()
	outcome = outcomeFrom(ctx, handler, job)
}

func outcomeFrom(ctx context.Context, handler Handler, job *Job) *pb.JobOutcome {
	result, err := handler(ctx, job)
	var back *giveBack
	switch {
	case err == nil:
		return completed(result, job.maxJSON())
	case errors.As(err, &back):
		return back.outcome
	case context.Cause(ctx) == ErrStopping:
		return released()
	case context.Cause(ctx) == ErrCancelRequested && errors.Is(err, context.Canceled):
		return failed(ErrCancelRequested)
	default:
		return failed(err)
	}
}

func completed(result any, maxJSON int) *pb.JobOutcome {
	text, err := toJSON(result, maxJSON)
	if err != nil {
		return failed(NonRetryable(err))
	}
	return &pb.JobOutcome{Kind: &pb.JobOutcome_Complete{Complete: &pb.CompleteOutcome{ReturnValue: text}}}
}

// failed makes a failed attempt of an error; its stack is the chain of what it wraps.
func failed(err error) *pb.JobOutcome {
	var chain []string
	name := ""
	for each := err; each != nil; each = errors.Unwrap(each) {
		if _, marks := each.(nonRetryable); marks {
			continue
		}
		kind := strings.TrimPrefix(fmt.Sprintf("%T", each), "*")
		if name == "" {
			name = kind
		}
		chain = append(chain, kind+": "+each.Error())
	}
	outcome := failure(err, name, strings.Join(chain, "\n"))
	if errors.As(err, new(nonRetryable)) {
		outcome.GetFail().Retry = pb.RetryMode_RETRY_MODE_NEVER
	}
	return outcome
}

func failure(err error, name, stack string) *pb.JobOutcome {
	return &pb.JobOutcome{Kind: &pb.JobOutcome_Fail{Fail: &pb.FailOutcome{
		ErrorName: name,
		Message:   cut(err.Error(), maxMessage),
		Stack:     strings.Split(cut(stack, maxStack), "\n"),
		Retry:     pb.RetryMode_RETRY_MODE_DEFAULT,
	}}}
}

// cut keeps the beginning; protobuf takes whole characters only.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
