// Command payloads adds and takes jobs over the stubs alone, byte for byte: the Go part of the payload table.
//
//	payloads write ADDRESS QUEUE,QUEUE FOLDER   adds a job for each file; its name is the file's
//	payloads read ADDRESS QUEUE,QUEUE           takes all jobs, prints "QUEUE NAME SHA-256", brings the data back
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "echomq.example/worker/gen/echomq/v1"
)

var me = &pb.WorkerInfo{WorkerId: "payloads", SessionId: "go", Name: "payloads"}

func main() {
	what, address, queues := os.Args[1], os.Args[2], strings.Split(os.Args[3], ",")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, queue := range queues {
		if what == "write" {
			err = write(ctx, pb.NewProducerServiceClient(conn), queue, os.Args[4])
		} else {
			err = read(ctx, pb.NewWorkerServiceClient(conn), queue)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

func write(ctx context.Context, producer pb.ProducerServiceClient, queue, folder string) error {
	files, err := os.ReadDir(folder) // Sorted by name.
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return err
		}
		request := &pb.AddJobRequest{Queue: queue, Name: file.Name(), Data: data}
		if _, err := producer.AddJob(ctx, request); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return nil
}

func read(ctx context.Context, worker pb.WorkerServiceClient, queue string) error {
	fetch := &pb.FetchJobsRequest{Queue: queue, Worker: me, MaxJobs: 10, Wait: durationpb.New(0)}
	for {
		fetched, err := worker.FetchJobs(ctx, fetch)
		if err != nil || len(fetched.GetJobs()) == 0 {
			return err
		}
		for _, job := range fetched.GetJobs() {
			data := job.GetData()
			fmt.Printf("%s %s %x\n", queue, job.GetName(), sha256.Sum256(data))
			outcome := &pb.JobOutcome{Kind: &pb.JobOutcome_Complete{Complete: &pb.CompleteOutcome{ReturnValue: data}}}
			if !utf8.Valid(data) {
				fail := &pb.FailOutcome{ErrorName: "Error", Message: "the data are not UTF-8"}
				outcome = &pb.JobOutcome{Kind: &pb.JobOutcome_Fail{Fail: fail}}
			}
			finish := &pb.FinishJobRequest{Lease: job.GetLease(), Worker: me, Outcome: outcome}
			if _, err := worker.FinishJob(ctx, finish); err != nil {
				return fmt.Errorf("%s: %w", job.GetName(), err)
			}
		}
	}
}
