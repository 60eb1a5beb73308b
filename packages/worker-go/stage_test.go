package worker

import (
	"context"
	"testing"
	"time"

	pb "echomq.example/worker/gen/echomq/v1"
)

// stage is a worker, its gateway, and their first stream. The worker ends with the test, with nothing in hand.
type stage struct {
	*fakeGateway
	first   *fakeStream
	begun   chan *Job
	causes  chan error
	release chan struct{}
	stop    context.CancelFunc
	ended   chan error
}

func newStage(t *testing.T, options Options) *stage {
	return newStageWith(t, options, nil)
}

func newStageWith(t *testing.T, options Options, server *pb.ServerInfo) *stage {
	s := &stage{
		fakeGateway: newFakeGateway(t), begun: make(chan *Job, 10), causes: make(chan error, 10),
		release: make(chan struct{}), ended: make(chan error, 1),
	}
	s.serverInfo = server
	options.StopTimeout = 100 * time.Millisecond
	w, err := New(Connection{Address: s.address, Token: "secret"}, "q", s.handle, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.ended <- w.Run(ctx) }()
	s.first = s.stream()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-s.ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(limit):
			t.Error("the worker did not end")
		}
	})
	return s
}
