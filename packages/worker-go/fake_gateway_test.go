package worker

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "echomq.example/worker/gen/echomq/v1"
)

const limit = 20 * time.Second

// fakeGateway is played by a test: it opens each stream at once, with a lock of three seconds.
type fakeGateway struct {
	pb.UnimplementedWorkerServiceServer
	t        *testing.T
	address  string
	streams  chan *fakeStream
	payloads map[string][]byte
	jobs     int

	serverInfo  *pb.ServerInfo
	unavailable bool // Payloads cannot be read.

	mu      sync.Mutex
	hold    chan struct{} // Streams that are asked for are opened once it is closed; nil: at once.
	refuses int           // So many streams are refused.
}

func (g *fakeGateway) holdStreams() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	hold := make(chan struct{})
	g.hold = hold
	return func() { close(hold) }
}

func (g *fakeGateway) refused() (hold chan struct{}, refused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuses > 0 {
		g.refuses--
		return nil, true
	}
	return g.hold, false
}

func newFakeGateway(t *testing.T) *fakeGateway {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gateway := &fakeGateway{
		t: t, address: listener.Addr().String(),
		streams: make(chan *fakeStream, 10), payloads: map[string][]byte{},
	}
	server := grpc.NewServer()
	pb.RegisterWorkerServiceServer(server, gateway)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return gateway
}

// stream is the next one that a worker opens.
func (g *fakeGateway) stream() *fakeStream {
	g.t.Helper()
	select {
	case stream := <-g.streams:
		return stream
	case <-time.After(limit):
		g.t.Fatal("no stream was opened")
		return nil
	}
}

func (g *fakeGateway) job(name, data string) *pb.DeliveredJob {
	g.jobs++
	lease := &pb.JobLease{Queue: "q", JobId: fmt.Sprint(g.jobs), LeaseToken: fmt.Sprint("token-", g.jobs)}
	return &pb.DeliveredJob{Lease: lease, Name: name, Data: []byte(data), Attempt: 1}
}

func (g *fakeGateway) Work(call grpc.BidiStreamingServer[pb.WorkRequest, pb.WorkResponse]) error {
	first, err := call.Recv()
	if err != nil {
		return err
	}
	hold, refused := g.refused()
	if refused {
		return status.Error(codes.Unavailable, "not yet")
	}
	stream := &fakeStream{
		t: g.t, open: first.GetOpen(), call: call,
		changed: make(chan struct{}), halfClosed: make(chan struct{}), opened: make(chan struct{}), end: make(chan error, 2),
	}
	stream.metadata, _ = metadata.FromIncomingContext(call.Context())
	stream.gone = call.Context().Done()
	if hold != nil {
		g.streams <- stream
		<-hold
	}
	stream.say(&pb.WorkResponse{Message: &pb.WorkResponse_Opened{Opened: &pb.WorkOpened{
		SessionId:         stream.open.GetWorker().GetSessionId(),
		HeartbeatInterval: durationpb.New(time.Second),
		KeepaliveInterval: durationpb.New(15 * time.Second),
		ServerInfo:        g.serverInfo,
	}}})
	close(stream.opened)
	go stream.receive()
	if hold == nil {
		g.streams <- stream
	}
	return <-stream.end
}

func (g *fakeGateway) GetJobData(
	request *pb.GetJobDataRequest, call grpc.ServerStreamingServer[pb.GetJobDataResponse],
) error {
	if g.unavailable {
		return status.Error(codes.Unavailable, "not now")
	}
	payload := g.payloads[request.GetLease().GetLeaseToken()]
	half := len(payload) / 2
	for _, part := range [][]byte{payload[:half], payload[half:]} {
		if err := call.Send(&pb.GetJobDataResponse{Chunk: part, TotalSize: uint32(len(payload))}); err != nil {
			return err
		}
	}
	return nil
}

// fakeStream is one Work stream, as the gateway sees it.
type fakeStream struct {
	t          *testing.T
	open       *pb.WorkOpen
	metadata   metadata.MD
	call       grpc.BidiStreamingServer[pb.WorkRequest, pb.WorkResponse]
	end        chan error
	halfClosed chan struct{}
	gone       <-chan struct{} // Closed when it is over, whoever ended it.
	opened     chan struct{}   // Closed when the worker was told that it is open.
	deaf       atomic.Bool     // Heartbeats are not answered.

	mu      sync.Mutex
	seen    []*pb.WorkRequest
	changed chan struct{}
	sending sync.Mutex
}

func (s *fakeStream) receive() {
	for {
		request, err := s.call.Recv()
		if err != nil {
			close(s.halfClosed)
			s.end <- nil
			return
		}
		if beat := request.GetHeartbeat(); beat != nil && !s.deaf.Load() {
			ack := &pb.WorkHeartbeatAck{Seq: beat.GetSeq()}
			s.say(&pb.WorkResponse{Message: &pb.WorkResponse_HeartbeatAck{HeartbeatAck: ack}})
		}
		s.mu.Lock()
		s.seen = append(s.seen, request)
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	}
}

// until waits until what was received fulfils something.
func (s *fakeStream) until(what string, fulfils func(seen []*pb.WorkRequest) bool) {
	s.t.Helper()
	late := time.After(limit)
	for {
		s.mu.Lock()
		done, changed := fulfils(s.seen), s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("never received: %s", what)
		}
	}
}

// report is the n-th report of a delivery.
func (s *fakeStream) report(job *pb.DeliveredJob, n int) (found *pb.WorkReport) {
	s.t.Helper()
	s.until("a report of "+job.GetName(), func(seen []*pb.WorkRequest) bool {
		count := 0
		for _, each := range seen {
			for _, report := range append(each.GetReports().GetReports(), each.GetReport()) {
				if report.GetLease().GetLeaseToken() == job.GetLease().GetLeaseToken() {
					if count++; count == n {
						found = report
					}
				}
			}
		}
		return found != nil
	})
	return found
}

// window waits for the last window to be so large.
func (s *fakeStream) window(size uint32) {
	s.t.Helper()
	s.until(fmt.Sprint("a window of ", size), func(seen []*pb.WorkRequest) bool {
		for _, each := range slices.Backward(seen) {
			if each.GetWindow() != nil {
				return each.GetWindow().GetMaxInFlight() == size
			}
		}
		return false
	})
}

func (s *fakeStream) direct(action pb.WorkerDirectiveAction) {
	directive := &pb.WorkerDirective{Action: action}
	s.say(&pb.WorkResponse{Message: &pb.WorkResponse_Directive{Directive: directive}})
}

func (s *fakeStream) say(response *pb.WorkResponse) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.call.Send(response); err != nil {
		s.t.Log(err)
	}
}

func (s *fakeStream) deliver(jobs ...*pb.DeliveredJob) {
	s.say(&pb.WorkResponse{Message: &pb.WorkResponse_Delivery{Delivery: &pb.WorkDelivery{Jobs: jobs}}})
}

func (s *fakeStream) signal(job *pb.DeliveredJob, kind pb.JobSignalKind) {
	signal := &pb.JobSignal{Lease: job.GetLease(), Kind: kind}
	s.say(&pb.WorkResponse{Message: &pb.WorkResponse_JobSignal{JobSignal: signal}})
}

func (s *fakeStream) ack(report *pb.WorkReport) {
	result := &pb.WorkReportAck_Result{Result: &pb.FinishResult{Disposition: pb.Disposition_DISPOSITION_COMPLETED}}
	s.answer(&pb.WorkReportAck{ReportId: report.GetReportId(), Outcome: result})
}

// acked answers a report and waits until the worker has read that.
func (s *fakeStream) acked(report *pb.WorkReport) {
	s.t.Helper()
	s.ack(report)
	s.until("a heartbeat after the answer", func(seen []*pb.WorkRequest) bool {
		return slices.ContainsFunc(seen, func(each *pb.WorkRequest) bool {
			return each.GetHeartbeat().GetAckedThrough() >= report.GetReportId()
		})
	})
}

func (s *fakeStream) ackTogether(reports ...*pb.WorkReport) {
	all := &pb.WorkReportAcks{}
	for _, report := range reports {
		result := &pb.WorkReportAck_Result{Result: &pb.FinishResult{Disposition: pb.Disposition_DISPOSITION_COMPLETED}}
		all.Acks = append(all.Acks, &pb.WorkReportAck{ReportId: report.GetReportId(), Outcome: result})
	}
	s.say(&pb.WorkResponse{Message: &pb.WorkResponse_ReportAcks{ReportAcks: all}})
}

func (s *fakeStream) refuse(report *pb.WorkReport, refusal error) {
	refused := &pb.WorkReportAck_Error{Error: status.Convert(refusal).Proto()}
	s.answer(&pb.WorkReportAck{ReportId: report.GetReportId(), Outcome: refused})
}

func (s *fakeStream) answer(ack *pb.WorkReportAck) {
	s.say(&pb.WorkResponse{Message: &pb.WorkResponse_ReportAck{ReportAck: ack}})
}

// refusal is an error as gateways send it; below zero it has no RetryInfo.
func refusal(code codes.Code, reason string, retryAfter time.Duration) error {
	made, err := status.New(code, reason).WithDetails(&errdetails.ErrorInfo{Domain: "echomq", Reason: reason})
	if err == nil && retryAfter >= 0 {
		made, err = made.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryAfter)})
	}
	if err != nil {
		panic(err)
	}
	return made.Err()
}
