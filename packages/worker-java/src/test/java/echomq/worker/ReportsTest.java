package echomq.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import echomq.v1.CompleteOutcome;
import echomq.v1.DeliveredJob;
import echomq.v1.FinishResult;
import echomq.v1.JobLease;
import echomq.v1.JobOutcome;
import echomq.v1.RetryMode;
import echomq.v1.WorkReport;
import echomq.v1.WorkReportAck;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReportsTest {
  private static final JobOutcome DONE =
      JobOutcome.newBuilder()
          .setComplete(
              CompleteOutcome.newBuilder().setReturnValue(ByteString.copyFromUtf8("1")))
          .build();

  private final Reports reports = new Reports();

  private static Held.Run run(String token) {
    JobLease lease = JobLease.newBuilder().setLeaseToken(token).build();
    return new Held.Run(DeliveredJob.newBuilder().setLease(lease).build());
  }

  private static WorkReportAck accepted(int report) {
    return WorkReportAck.newBuilder()
        .setReportId(report)
        .setResult(FinishResult.getDefaultInstance())
        .build();
  }

  private static WorkReportAck refused(int report, String reason) {
    Status.Builder status =
        Status.newBuilder()
            .addDetails(Any.pack(ErrorInfo.newBuilder().setReason(reason).build()));
    return WorkReportAck.newBuilder().setReportId(report).setError(status).build();
  }

  private static WorkReportAck againAtOnce(int report) {
    RetryInfo now = RetryInfo.newBuilder().setRetryDelay(Duration.getDefaultInstance()).build();
    return WorkReportAck.newBuilder()
        .setReportId(report)
        .setError(Status.newBuilder().addDetails(Any.pack(now)))
        .build();
  }

  @Test
  void isAckedThroughTheLastAnswerWithoutAGap() {
    Held.Run second = run("b");
    assertEquals(1, reports.enter(run("a"), DONE).getReportId());
    assertEquals(2, reports.enter(second, DONE).getReportId());
    assertEquals(3, reports.enter(run("c"), DONE).getReportId());
    assertSame(second, reports.answered(accepted(2)).run());
    assertEquals(0, reports.ackedThrough());
    assertNull(reports.answered(accepted(1)).instead());
    assertEquals(2, reports.ackedThrough());
    assertNull(reports.answered(accepted(2)), "a second answer");
    assertEquals(1, reports.unanswered().size());
  }

  @Test
  void saysAgainUnchangedWhatMayHaveBeenStoredOnceItsWaitIsOver() {
    WorkReport report = reports.enter(run("a"), DONE);
    assertNull(reports.answered(refused(1, "OUTCOME_UNKNOWN")));
    assertTrue(reports.unanswered().isEmpty(), "it waits");
    assertTrue(reports.due().isEmpty(), "for a second");
    assertNull(reports.answered(againAtOnce(1)));
    assertEquals(List.of(report), reports.due());
    assertTrue(reports.due().isEmpty(), "once");
    assertEquals(List.of(report), reports.unanswered());
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOCK_LOST", "LOCK_NOT_OWNED", "JOB_NOT_FOUND", "JOB_NOT_IN_STATE"})
  void endsWhereTheJobIsElsewhere(String reason) {
    reports.enter(run("a"), DONE);
    assertNull(reports.answered(refused(1, reason)).instead());
    assertTrue(reports.unanswered().isEmpty());
  }

  @Test
  void failsARefusedResultForGoodAndNotTwice() {
    Held.Run job = run("a");
    reports.enter(job, DONE);
    JobOutcome instead = reports.answered(refused(1, "PAYLOAD_TOO_LARGE")).instead();
    assertEquals(RetryMode.RETRY_MODE_NEVER, instead.getFail().getRetry());
    assertTrue(instead.getFail().getMessage().contains("PAYLOAD_TOO_LARGE"));
    reports.enter(job, instead);
    assertNull(reports.answered(refused(2, "PAYLOAD_TOO_LARGE")).instead());
  }

  @Test
  void mayTryAgainWhatFailedAndWhatHasFailedChildren() {
    reports.enter(run("a"), DONE);
    JobOutcome instead = reports.answered(refused(1, "JOB_HAS_FAILED_CHILDREN")).instead();
    assertEquals(RetryMode.RETRY_MODE_DEFAULT, instead.getFail().getRetry());
    reports.enter(run("b"), Outcomes.CANCELLED);
    instead = reports.answered(refused(2, "ANY")).instead();
    assertEquals(RetryMode.RETRY_MODE_DEFAULT, instead.getFail().getRetry());
    reports.enter(run("c"), DONE);
    assertTrue(
        reports.answered(refused(3, "JOB_HAS_PENDING_CHILDREN")).instead().hasAwaitChildren());
  }

  @Test
  void numbersAnewInANewSession() {
    List.of("a", "b", "c").forEach(token -> reports.enter(run(token), DONE));
    reports.answered(accepted(1));
    reports.restart();
    List<WorkReport> unanswered = reports.unanswered();
    assertEquals(List.of(1, 2), unanswered.stream().map(WorkReport::getReportId).toList());
    assertEquals(
        List.of("b", "c"),
        unanswered.stream().map(report -> report.getLease().getLeaseToken()).toList());
    assertEquals(0, reports.ackedThrough());
  }
}
