package worker

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "echomq.example/worker/gen/echomq/v1"
)

func reportOf(id uint32, size int) *pb.WorkRequest {
	complete := &pb.CompleteOutcome{ReturnValue: make([]byte, size)}
	return &pb.WorkRequest{Message: &pb.WorkRequest_Report{Report: &pb.WorkReport{
		ReportId: id, Outcome: &pb.JobOutcome{Kind: &pb.JobOutcome_Complete{Complete: complete}},
	}}}
}

// idsOf are the numbers of the reports of each message; none: another message.
func idsOf(messages []*pb.WorkRequest) string {
	ids := make([][]uint32, len(messages))
	for at, message := range messages {
		for _, report := range append(message.GetReports().GetReports(), message.GetReport()) {
			if report != nil {
				ids[at] = append(ids[at], report.GetReportId())
			}
		}
	}
	return fmt.Sprint(ids)
}

func TestGathersReportsThatFollowOneAnother(t *testing.T) {
	other := &pb.WorkRequest{Message: &pb.WorkRequest_Window{Window: &pb.WorkWindow{}}}
	for want, messages := range map[string][]*pb.WorkRequest{
		"[]":              {},
		"[[1 2] [] [3]]":  {reportOf(1, 1), reportOf(2, 1), other, reportOf(3, 1)},
		"[[1] [2] [3 4]]": {reportOf(1, 1), reportOf(2, lightBytes), reportOf(3, 1), reportOf(4, 1)},
	} {
		if got := idsOf(together(messages)); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestGathersAHundredAtMost(t *testing.T) {
	var messages []*pb.WorkRequest
	for id := range uint32(201) {
		messages = append(messages, reportOf(id+1, 1))
	}
	var sizes []int
	for _, message := range together(messages) {
		sizes = append(sizes, len(message.GetReports().GetReports()))
	}
	if fmt.Sprint(sizes) != "[100 100 1]" {
		t.Error(sizes)
	}
}

func TestGathersNoMoreThanEveryGatewayTakes(t *testing.T) {
	var messages []*pb.WorkRequest
	for id := range uint32(9) {
		messages = append(messages, reportOf(id+1, 12_000))
	}
	var sizes []int
	for _, message := range together(messages) {
		sizes = append(sizes, len(message.GetReports().GetReports()))
		if size := proto.Size(message); size > 65_536 {
			t.Error(size)
		}
	}
	if fmt.Sprint(sizes) != "[4 4 1]" {
		t.Error(sizes)
	}
}

func TestSendsReportsTogetherOnlyWhereTheGatewayReadsThem(t *testing.T) {
	for _, reads := range []bool{true, false} {
		t.Run(fmt.Sprint(reads), func(t *testing.T) {
			s := newStageWith(t, Options{Concurrency: 2}, &pb.ServerInfo{Capabilities: map[string]bool{reportBatches: reads}})
			if got := s.first.open.GetFeatures(); fmt.Sprint(got) != "[reportBatches]" {
				t.Error(got)
			}
			jobs := []*pb.DeliveredJob{s.job("sum", "[1]"), s.job("sum", "[2]")}
			s.first.deliver(jobs...)
			s.first.ackTogether(s.first.report(jobs[0], 1), s.first.report(jobs[1], 1))
			// Without its answers the worker would not leave.
			s.stop()
			<-s.first.halfClosed
			for _, each := range s.first.seen {
				if (each.GetReports() != nil) != reads && (each.GetReports() != nil || each.GetReport() != nil) {
					t.Error(each)
				}
			}
		})
	}
}
