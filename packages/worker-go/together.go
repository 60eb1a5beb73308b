package worker

import (
	"google.golang.org/protobuf/proto"

	pb "echomq.example/worker/gen/echomq/v1"
)

const (
	// reportBatches is what both sides name that read several reports, or their answers, in a message.
	reportBatches = "reportBatches"
	maxTogether   = 100
	// A report that weighs more leaves alone: a hundred of the others stay below the bound of a message.
	lightBytes = 16_384
)

// together makes one message of reports that follow one another.
func together(messages []*pb.WorkRequest) []*pb.WorkRequest {
	var gathered []*pb.WorkRequest
	var last *pb.WorkReports // The end of what is gathered, if it may grow.
	for _, message := range messages {
		report := message.GetReport()
		if report == nil || proto.Size(report) > lightBytes {
			gathered, last = append(gathered, message), nil
			continue
		}
		if last == nil || len(last.Reports) == maxTogether {
			last = &pb.WorkReports{}
			gathered = append(gathered, &pb.WorkRequest{Message: &pb.WorkRequest_Reports{Reports: last}})
		}
		last.Reports = append(last.Reports, report)
	}
	return gathered
}
