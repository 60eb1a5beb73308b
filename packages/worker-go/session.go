package worker

import (
	"crypto/rand"
	"fmt"
	"os"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "echomq.example/worker/gen/echomq/v1"
)

// Version of this library.
const Version = "0.1.0"

// session tells the gateway who works. It outlives streams; each has the next epoch.
type session struct {
	queue   string
	options Options
	info    *pb.WorkerInfo
	epoch   uint32
	seq     uint32
}

func newSession(queue string, options Options) *session {
	host, _ := os.Hostname()
	id := options.WorkerID
	if id == "" {
		id = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	name := options.Name
	if name == "" {
		name = id
	}
	return &session{queue: queue, options: options, info: &pb.WorkerInfo{
		WorkerId:  id,
		SessionId: rand.Text(),
		Name:      name,
		Sdk:       &pb.SdkInfo{Language: "go", Version: Version},
		Host:      host,
		Pid:       uint32(os.Getpid()),
		Labels:    options.Labels,
	}}
}

// restart: the gateway wants no more of the old one.
func (s *session) restart() {
	s.info.SessionId = rand.Text()
	s.epoch = 0
}

// open is the first message of a stream.
func (s *session) open(window int, held *runs, ackedThrough uint32) *pb.WorkRequest {
	subscription := &pb.Subscription{Queue: s.queue, MaxInFlight: uint32(window)}
	if s.options.LockDuration > 0 {
		subscription.LockDuration = durationpb.New(s.options.LockDuration)
	}
	open := &pb.WorkOpen{
		Worker:        s.info,
		Subscriptions: []*pb.Subscription{subscription},
		Epoch:         s.epoch,
		Load:          s.load(held),
		AckedThrough:  ackedThrough,
		Features:      []string{reportBatches},
	}
	for _, each := range held.held {
		open.Held = append(open.Held, each.delivered.GetLease())
	}
	s.epoch++
	return &pb.WorkRequest{Message: &pb.WorkRequest_Open{Open: open}}
}

// heartbeat says that the worker lives, and all that it holds.
func (s *session) heartbeat(held *runs, ackedThrough uint32) *pb.WorkRequest {
	s.seq++
	set := &pb.HeldSet{}
	for _, each := range held.held {
		set.Jobs = append(set.Jobs, &pb.HeldJob{LeaseToken: each.token(), Running: each.begun})
	}
	return &pb.WorkRequest{Message: &pb.WorkRequest_Heartbeat{Heartbeat: &pb.WorkHeartbeat{
		Seq:          s.seq,
		Holdings:     &pb.WorkHeartbeat_Held{Held: set},
		AckedThrough: ackedThrough,
		Load:         s.load(held),
	}}}
}

// window asks for so many jobs at once.
func (s *session) window(size int) *pb.WorkRequest {
	window := &pb.WorkWindow{Queue: s.queue, MaxInFlight: uint32(size)}
	return &pb.WorkRequest{Message: &pb.WorkRequest_Window{Window: window}}
}

func (s *session) load(held *runs) *pb.WorkerLoad {
	return &pb.WorkerLoad{Running: uint32(len(held.active)), Capacity: uint32(s.options.Concurrency)}
}
