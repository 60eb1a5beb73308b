package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"echomq.example/worker"
)

// handle works on jobs of several names; the name says what is to be done.
func handle(ctx context.Context, job *worker.Job) (any, error) {
	switch job.Name {
	case "checksum":
		return checksum(ctx, job)
	case "flaky":
		return flaky(job)
	case "slow":
		return slow(ctx, job)
	case "echo": // What comes is what goes back, byte for byte; what is no JSON fails here.
		var data json.RawMessage
		return job.Data, job.Decode(&data)
	case "doomed":
		return nil, worker.NonRetryable(errors.New("this job never succeeds"))
	default:
		return nil, worker.NonRetryable(fmt.Errorf("no handler for %q", job.Name))
	}
}

// checksum reads a file piece by piece, so that its size does not matter, and stops when the job is lost.
func checksum(ctx context.Context, job *worker.Job) (any, error) {
	var data struct{ Path string }
	if err := job.Decode(&data); err != nil {
		return nil, err
	}
	file, err := os.Open(data.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash, chunk, size, lines := sha256.New(), make([]byte, 1<<20), 0, 0
	for ctx.Err() == nil {
		n, err := file.Read(chunk)
		hash.Write(chunk[:n])
		size += n
		for _, each := range chunk[:n] {
			if each == '\n' {
				lines++
			}
		}
		if err == io.EOF {
			sum := hex.EncodeToString(hash.Sum(nil))
			return map[string]any{"bytes": size, "lines": lines, "sha256": sum}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// flaky fails so often before it succeeds; how often it is tried again, the producer has said.
func flaky(job *worker.Job) (any, error) {
	var data struct{ Failures int }
	if err := job.Decode(&data); err != nil {
		return nil, err
	}
	if job.Attempt <= data.Failures {
		return nil, fmt.Errorf("failure %d of %d", job.Attempt, data.Failures)
	}
	return map[string]int{"attempts": job.Attempt}, nil
}

// slow takes its time and says how far it is.
func slow(ctx context.Context, job *worker.Job) (any, error) {
	var data struct{ MS float64 }
	if err := job.Decode(&data); err != nil {
		return nil, err
	}
	for share := 10; share <= 100; share += 10 {
		select {
		case <-time.After(time.Duration(data.MS / 10 * float64(time.Millisecond))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := job.Progress(share); err != nil {
			return nil, err
		}
	}
	return map[string]float64{"ms": data.MS}, nil
}
