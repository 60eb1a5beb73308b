package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "echomq.example/worker/gen/echomq/v1"
)

// Handler does what a job asks for. Its result becomes JSON; a [json.RawMessage] is stored byte for byte. An error
// fails the attempt, and whether another follows, the server decides. The context is cancelled when the job is no
// longer this worker's; [context.Cause] tells why.
type Handler func(ctx context.Context, job *Job) (any, error)

// Why the context of a handler was cancelled.
var (
	// ErrLeaseLost: the job is somebody else's or gone; the result is discarded.
	ErrLeaseLost = errors.New("the lease of the job is over")
	// ErrCancelRequested: somebody asked to cancel the job; it ends as cancelled whatever is returned.
	ErrCancelRequested = errors.New("cancelled")
	// ErrStopping: the worker ends and the handler took too long; the job goes back, no attempt counted.
	ErrStopping = errors.New("the worker stops")
)

// Job is a job in the hands of a handler.
type Job struct {
	ID    string
	Queue string
	Name  string
	// Data is the payload, byte for byte. What other programs wrote into the store may be no JSON.
	Data json.RawMessage
	// Attempt is the attempt that runs now, from 1.
	Attempt int
	// Delivered is the message as it came; its data may be left out.
	Delivered *pb.DeliveredJob

	progress func(text []byte)
	logs     func(lines []string)
	maxJSON  func() int
}

// Decode parses the payload into a value. Unlike [json.Unmarshal] it refuses what is no UTF-8.
func (j *Job) Decode(into any) error {
	if !utf8.Valid(j.Data) {
		return errors.New("the data are not UTF-8")
	}
	return json.Unmarshal(j.Data, into)
}

// Progress sets the progress, anything that is JSON. Sent and forgotten; the error is that of the conversion.
func (j *Job) Progress(value any) error {
	text, err := toJSON(value, j.maxJSON())
	if err == nil {
		j.progress(text)
	}
	return err
}

// Log appends lines to the job's log, of each 64 KiB at most. Sent and forgotten.
func (j *Job) Log(lines ...string) {
	for _, part := range logParts(lines) {
		j.logs(part)
	}
}

// logParts cuts lines into as many as a gateway takes at once.
func logParts(lines []string) (parts [][]string) {
	var part []string
	room := maxLogBytes
	for _, line := range lines {
		text := cut(line, maxLogBytes)
		if len(part) == maxLogLines || len(text) > room {
			parts, part, room = append(parts, part), nil, maxLogBytes
		}
		part, room = append(part, text), room-len(text)
	}
	if len(part) > 0 {
		parts = append(parts, part)
	}
	return parts
}

type nonRetryable struct{ error }

func (e nonRetryable) Unwrap() error { return e.error }

// NonRetryable makes an error final: the job fails for good, whatever attempts it has left. No error stays none.
func NonRetryable(err error) error {
	if err == nil {
		return nil
	}
	return nonRetryable{err}
}

// giveBack is an error that ends a run without success or failure.
type giveBack struct {
	what    string
	outcome *pb.JobOutcome
}

func (e *giveBack) Error() string { return e.what }

// Release is returned by a handler to give the job back as if it had not been taken; no attempt is counted.
func Release() error { return &giveBack{"released", released()} }

// Delay is returned by a handler to have the job run again after some time; the run counts as an attempt unless
// skipAttempt.
func Delay(after time.Duration, skipAttempt bool) error {
	outcome := &pb.DelayOutcome{
		Due:         &pb.DelayOutcome_Delay{Delay: durationpb.New(after)},
		SkipAttempt: skipAttempt,
	}
	return &giveBack{fmt.Sprint("delayed by ", after), &pb.JobOutcome{Kind: &pb.JobOutcome_Delay{Delay: outcome}}}
}

// AwaitChildren is returned by a handler to have the job run again when its children have finished.
func AwaitChildren() error { return &giveBack{"awaits its children", awaitChildren()} }

// RateLimited is returned by a handler to give the job back and hold the queue for all workers.
func RateLimited(duration time.Duration) error {
	outcome := &pb.RateLimitedOutcome{Duration: durationpb.New(duration)}
	return &giveBack{fmt.Sprint("rate limited for ", duration),
		&pb.JobOutcome{Kind: &pb.JobOutcome_RateLimited{RateLimited: outcome}}}
}

func released() *pb.JobOutcome {
	return &pb.JobOutcome{Kind: &pb.JobOutcome_Release{Release: &pb.ReleaseOutcome{ToFront: true}}}
}

func awaitChildren() *pb.JobOutcome {
	return &pb.JobOutcome{Kind: &pb.JobOutcome_AwaitChildren{AwaitChildren: &pb.AwaitChildrenOutcome{}}}
}

// toJSON leaves raw JSON as it is; json.Marshal would rewrite it. What no message holds is an error.
func toJSON(value any, most int) (text []byte, err error) {
	raw, ok := value.(json.RawMessage)
	if text = raw; !ok {
		text, err = json.Marshal(value)
	}
	if err == nil && len(text) > most {
		err = fmt.Errorf("the JSON has %d bytes, too many for a message", len(text))
	}
	return text, err
}
