// Command sample works on checksum, flaky, slow, echo and doomed jobs.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"echomq.example/worker"
)

func main() {
	address := flag.String("address", "127.0.0.1:50051", "the gateway")
	queue := flag.String("queue", "demo", "the queue")
	concurrency := flag.Int("concurrency", 4, "jobs at once")
	name := flag.String("name", "", "what the worker is called")
	lock := flag.Int("lock-duration", 0, "ms until a dead worker's jobs are free; 0: the gateway's default")
	flag.Parse()

	var announce sync.Once
	options := worker.Options{
		Concurrency:  *concurrency,
		Name:         *name,
		LockDuration: time.Duration(*lock) * time.Millisecond,
		OnReady: func(name string) {
			announce.Do(func() { fmt.Printf("%s: works on %q at %s\n", name, *queue, *address) })
		},
	}
	w, err := worker.New(worker.Connection{Address: *address}, *queue, handle, options)
	if err != nil {
		log.Fatal(err)
	}
	// The first signal lets running jobs end; a second one ends the process.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop)
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
