package worker

import (
	"google.golang.org/protobuf/proto"

	pb "echomq.example/worker/gen/echomq/v1"
)

const (
	// reportBatches is what both sides name that read several reports, or their answers, in a message.
	reportBatches = "reportBatches"
	maxTogether   = 100
	// A report that weighs more leaves alone.
	lightBytes = 16_384
	// maxBytes is what the reports of one message weigh at most: every gateway takes so much, whatever the bound of a
	// message is there, for that exceeds its largest payload by 64 KiB.
	maxBytes = 49_152
	// A tag and a length stand before each report.
	frameBytes = 8
)

// together makes one message of reports that follow one another.
func together(messages []*pb.WorkRequest) []*pb.WorkRequest {
	var gathered []*pb.WorkRequest
	var last *pb.WorkReports // The end of what is gathered, if it may grow.
	var bytes int            // What it weighs.
	for _, message := range messages {
		report := message.GetReport()
		size := proto.Size(report) + frameBytes
		if report == nil || size > lightBytes {
			gathered, last = append(gathered, message), nil
			continue
		}
		if bytes += size; last == nil || len(last.Reports) == maxTogether || bytes > maxBytes {
			last, bytes = &pb.WorkReports{}, size
			gathered = append(gathered, &pb.WorkRequest{Message: &pb.WorkRequest_Reports{Reports: last}})
		}
		last.Reports = append(last.Reports, report)
	}
	return gathered
}
