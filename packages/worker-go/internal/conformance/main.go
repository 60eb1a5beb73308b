// Command conformance is the helper under the conformance suite: with a buffer, so that jobs wait and are recalled.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	"echomq.example/worker"
)

type data struct {
	Failures int     `json:"failures"`
	MS       float64 `json:"ms"`
}

func handle(ctx context.Context, job *worker.Job) (any, error) {
	var any any
	if err := job.Decode(&any); err != nil {
		return nil, err
	}
	if job.Name == "echo" {
		return job.Data, nil
	}
	var data data
	if err := job.Decode(&data); err != nil {
		return nil, err
	}
	switch job.Name {
	case "flaky":
		if job.Attempt <= data.Failures {
			return nil, fmt.Errorf("failure %d", job.Attempt)
		}
		return map[string]int{"attempts": job.Attempt}, nil
	case "slow":
		for share := 10; share <= 100; share += 10 {
			select {
			case <-time.After(time.Duration(data.MS * float64(time.Millisecond) / 10)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			if err := job.Progress(share); err != nil {
				return nil, err
			}
		}
		job.Log("done")
		return map[string]float64{"ms": data.MS}, nil
	}
	return nil, worker.NonRetryable(fmt.Errorf("no handler for %q", job.Name))
}

func main() {
	address := flag.String("address", "", "the gateway")
	queue := flag.String("queue", "", "the queue")
	concurrency := flag.Int("concurrency", 1, "jobs at once")
	flag.Parse()
	options := worker.Options{Concurrency: *concurrency, Buffer: 2}
	w, err := worker.New(worker.Connection{Address: *address}, *queue, handle, options)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
