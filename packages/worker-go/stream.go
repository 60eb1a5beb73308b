package worker

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "echomq.example/worker/gen/echomq/v1"
)

const (
	openedWithin = 10 * time.Second
	lookEvery    = 100 * time.Millisecond
)

// stream is one Work stream, over a connection of its own. Messages go out in the order in which they were sent.
type stream struct {
	leave context.CancelFunc // Breaks it off.
	gone  <-chan struct{}    // Closed once it is over.
	conn  *grpc.ClientConn
	call  grpc.BidiStreamingClient[pb.WorkRequest, pb.WorkResponse]

	mu     sync.Mutex
	outbox []*pb.WorkRequest
	closed bool
	more   chan struct{}

	// Looks without a message, and how many of them mean that the stream is dead, whatever TCP says. Counted, not
	// measured: a process that was stopped first reads what has come meanwhile.
	silent, limit atomic.Int64

	together atomic.Bool // The gateway reads several reports at once.
}

func openStream(connection Connection) (*stream, error) {
	conn, err := connection.open()
	if err != nil {
		return nil, err
	}
	ctx, leave := context.WithCancel(connection.with(context.Background()))
	s := &stream{leave: leave, gone: ctx.Done(), conn: conn, more: make(chan struct{}, 1)}
	s.limit.Store(int64(openedWithin / lookEvery))
	go s.watch(ctx)
	s.call, err = pb.NewWorkerServiceClient(conn).Work(ctx)
	if err != nil {
		s.close()
		return nil, err
	}
	go s.write(ctx)
	return s, nil
}

// send never blocks.
func (s *stream) send(message *pb.WorkRequest) {
	s.mu.Lock()
	s.outbox = append(s.outbox, message)
	s.mu.Unlock()
	s.wake()
}

// halfClose closes this side after what was sent.
func (s *stream) halfClose() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake()
}

// receive gives the next message; io.EOF is the end in good order.
func (s *stream) receive() (*pb.WorkResponse, error) {
	message, err := s.call.Recv()
	s.silent.Store(0)
	return message, err
}

func (s *stream) expectWithin(interval time.Duration) {
	s.limit.Store(int64(interval*5/2/lookEvery) + 1)
}

func (s *stream) over() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (s *stream) close() {
	s.leave()
	s.conn.Close()
}

func (s *stream) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *stream) write(ctx context.Context) {
	for {
		s.mu.Lock()
		batch, closed := s.outbox, s.closed
		s.outbox = nil
		s.mu.Unlock()
		if s.together.Load() {
			batch = together(batch)
		}
		for _, message := range batch {
			if s.call.Send(message) != nil {
				return // Recv tells why.
			}
		}
		if closed {
			s.call.CloseSend()
			return
		}
		select {
		case <-s.more:
		case <-ctx.Done():
			return
		}
	}
}

func (s *stream) watch(ctx context.Context) {
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	for s.silent.Add(1) <= s.limit.Load() {
		select {
		case <-looks.C:
		case <-ctx.Done():
			return
		}
	}
	s.leave()
}

// readData reads the payload that a delivery has left out. Over its own connection: it outlives streams. Where it cannot
// be had just now the job goes back, no attempt counted.
func readData(ctx context.Context, connection Connection, lease *pb.JobLease) ([]byte, error) {
	data, err := readParts(ctx, connection, lease)
	if code := status.Code(err); code == codes.Unavailable || code == codes.DeadlineExceeded {
		return nil, Release()
	}
	return data, err
}

func readParts(ctx context.Context, connection Connection, lease *pb.JobLease) ([]byte, error) {
	conn, err := connection.open()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(connection.with(ctx), time.Minute)
	defer cancel()
	request := &pb.GetJobDataRequest{Target: &pb.GetJobDataRequest_Lease{Lease: lease}}
	parts, err := pb.NewWorkerServiceClient(conn).GetJobData(ctx, request)
	if err != nil {
		return nil, err
	}
	var data []byte
	for {
		part, err := parts.Recv()
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		data = append(data, part.GetChunk()...)
	}
}
