package worker

import (
	"io"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// facts is what an error of the gateway says besides its text.
type facts struct {
	code       codes.Code
	reason     string
	message    string
	retries    bool // It has RetryInfo.
	retryAfter time.Duration
}

// over: the gateway wants no more of the session.
func (f facts) over() bool {
	return f.reason == "WORKER_UNRESPONSIVE" || f.reason == "SESSION_SUPERSEDED"
}

func factsOf(st *status.Status) facts {
	found := facts{code: st.Code(), message: st.Message()}
	for _, detail := range st.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			found.reason = detail.GetReason()
		case *errdetails.RetryInfo:
			found.retries = true
			found.retryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	return found
}

// factsOfEnd tells how a stream ended.
func factsOfEnd(err error) facts {
	if err == nil || err == io.EOF {
		return facts{code: codes.OK}
	}
	return factsOf(status.Convert(err))
}
