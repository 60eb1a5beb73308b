package worker

import (
	"context"
	"time"

	pb "echomq.example/worker/gen/echomq/v1"
)

// received is called with the lock held, as is all below unless it says otherwise.
func (w *Worker) received(stream *stream, response *pb.WorkResponse) {
	switch message := response.GetMessage().(type) {
	case *pb.WorkResponse_Delivery:
		w.runs.add(message.Delivery.GetJobs(), w.taking)
	case *pb.WorkResponse_ReportAck:
		w.answered(message.ReportAck)
	case *pb.WorkResponse_ReportAcks:
		for _, ack := range message.ReportAcks.GetAcks() {
			w.answered(ack)
		}
	case *pb.WorkResponse_JobSignal:
		w.tell(message.JobSignal.GetLease().GetLeaseToken(), fateOfSignal(message.JobSignal.GetKind()))
	case *pb.WorkResponse_HeartbeatAck:
		w.evidence.answered(message.HeartbeatAck.GetSeq())
		for _, lease := range message.HeartbeatAck.GetLeases() {
			w.tell(lease.GetLeaseToken(), fateOfStatus(lease.GetStatus()))
		}
	case *pb.WorkResponse_Directive:
		w.directed(stream, message.Directive)
	}
	// Keepalives only show that the gateway lives; others are from a newer one.
}

func (w *Worker) answered(ack *pb.WorkReportAck) {
	w.failures = 0
	w.reports.answered(ack)
}

func (w *Worker) opened(try attempt) {
	stream, opened := try.stream, try.opened
	stream.together.Store(opened.GetServerInfo().GetCapabilities()[reportBatches])
	w.evidence.opened(try.began, opened.GetHeartbeatInterval().AsDuration())
	stream.expectWithin(opened.GetKeepaliveInterval().AsDuration())
	w.maxJSON.Store(int64(maxJSONBytes(opened.GetServerInfo().GetLimits().GetMaxMessageBytes())))
	for _, lease := range opened.GetRejected() {
		w.tell(lease.GetLeaseToken(), over)
	}
	w.heartbeat()
	w.beats = time.NewTicker(max(opened.GetHeartbeatInterval().AsDuration()/2, 10*time.Millisecond))
	go w.beat(stream, w.beats)
	w.reports.resend()
	w.updateWindow()
	w.leaveIfDone()
	if w.options.OnReady != nil {
		go w.options.OnReady(w.session.info.GetName())
	}
}

func (w *Worker) beat(stream *stream, beats *time.Ticker) {
	for {
		select {
		case <-beats.C:
			w.mu.Lock()
			w.heartbeat()
			w.mu.Unlock()
		case <-stream.gone:
			return
		}
	}
}

func (w *Worker) tell(token string, what fate) {
	w.runs.tell(token, what)
	if what == over {
		w.later(stopGrace, w.updateWindow)
	}
}

func (w *Worker) directed(stream *stream, directive *pb.WorkerDirective) {
	if w.wish != nil {
		w.wish.Stop()
	}
	w.wish = time.AfterFunc(directive.GetAfter().AsDuration(), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.stream == stream && !w.stopping {
			w.follow(directive.GetAction())
		}
	})
}

func (w *Worker) follow(action pb.WorkerDirectiveAction) {
	switch action {
	case pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_RECONNECT:
		w.take(false)
		w.runs.releaseBuffered()
		if w.moving == nil {
			w.moving = make(chan attempt, 1)
			go w.move(w.stream, w.moving)
		}
	case pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_QUIET:
		w.take(false)
	case pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_DRAIN:
		w.draining = true
		w.take(false)
		w.runs.releaseBuffered()
		w.leaveIfDone()
	case pb.WorkerDirectiveAction_WORKER_DIRECTIVE_ACTION_UNSPECIFIED:
		w.take(w.moving == nil)
	}
}

func (w *Worker) take(taking bool) {
	w.taking = taking
	w.updateWindow()
}

func (w *Worker) wanted() int {
	if !w.taking {
		return 0
	}
	return w.room()
}

// room is for how many jobs there is room where any are taken.
func (w *Worker) room() int {
	if w.stopping {
		return 0
	}
	return max(0, w.options.Concurrency+w.options.Buffer-w.runs.zombies())
}

func (w *Worker) updateWindow() {
	if wanted := w.wanted(); w.up && wanted != w.window {
		w.window = wanted
		w.send(w.session.window(wanted))
	}
}

func (w *Worker) ended(of *run) {
	w.runs.end(of)
	w.leaveIfDone()
}

func (w *Worker) leaveIfDone() {
	if w.isOver() {
		select {
		case <-w.empty:
		default:
			close(w.empty)
		}
	}
	if (!w.stopping && !w.draining) || !w.up || w.left || len(w.runs.held) > 0 {
		return
	}
	drain := &pb.WorkDrain{Reason: "the worker leaves", ReleaseUnstarted: true}
	w.send(&pb.WorkRequest{Message: &pb.WorkRequest_Drain{Drain: drain}})
	w.left = true
	w.stream.halfClose()
}

func (w *Worker) heartbeat() {
	w.send(w.session.heartbeat(&w.runs, w.reports.ackedThrough()))
	w.evidence.beat(w.session.seq, time.Now())
}

func (w *Worker) send(message *pb.WorkRequest) {
	if w.up && !w.left {
		w.stream.send(message)
	}
}

// later runs something under the lock after a while.
func (w *Worker) later(after time.Duration, what func()) {
	time.AfterFunc(after, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		what()
	})
}

func (w *Worker) start(of *run) {
	w.handlers.Go(func() { // Without the lock.
		w.execute(of, func(outcome *pb.JobOutcome) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.runs.ended(of, outcome)
			w.updateWindow()
		})
	})
}

// execute runs without the lock.
func (w *Worker) execute(of *run, ended func(*pb.JobOutcome)) {
	lease := of.delivered.GetLease()
	job := &Job{
		ID: lease.GetJobId(), Queue: lease.GetQueue(), Name: of.delivered.GetName(),
		Data: of.delivered.GetData(), Attempt: int(of.delivered.GetAttempt()), Delivered: of.delivered,
		progress: func(text []byte) {
			progress := &pb.WorkProgress{Lease: lease, Progress: text}
			w.sendWhile(of, &pb.WorkRequest{Message: &pb.WorkRequest_Progress{Progress: progress}})
		},
		logs: func(lines []string) {
			logs := &pb.WorkLogs{Lease: lease, Lines: lines}
			w.sendWhile(of, &pb.WorkRequest{Message: &pb.WorkRequest_Logs{Logs: logs}})
		},
		maxJSON: func() int { return int(w.maxJSON.Load()) },
	}
	outcomeOf(of.ctx, func(ctx context.Context, job *Job) (any, error) {
		if of.delivered.GetDataOmitted() {
			data, err := readData(ctx, w.connection, lease)
			if err != nil {
				return nil, err
			}
			job.Data = data
		}
		return w.handler(ctx, job)
	}, job, ended)
}

// sendWhile sends what belongs to a run that is still this worker's. Without the lock.
func (w *Worker) sendWhile(of *run, message *pb.WorkRequest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of.state == running {
		w.send(message)
	}
}
