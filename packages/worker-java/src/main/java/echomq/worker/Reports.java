package echomq.worker;

import echomq.worker.Stream.Facts;
import echomq.v1.AwaitChildrenOutcome;
import echomq.v1.JobOutcome;
import echomq.v1.RetryMode;
import echomq.v1.WorkReport;
import echomq.v1.WorkReportAck;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** The reports of a session that have no answer: numbers them, repeats them, follows their answers. */
final class Reports {
  /** The lease is over, or the job is elsewhere: final. */
  private static final Set<String> GONE =
      Set.of("LOCK_LOST", "LOCK_NOT_OWNED", "JOB_NOT_FOUND", "JOB_NOT_IN_STATE");

  /** What may have been stored or could not be told: the same report again is safe. */
  private static final Set<String> AGAIN =
      Set.of("OUTCOME_UNKNOWN", "BACKEND_UNAVAILABLE", "DEADLINE_EXCEEDED");

  private static final long AGAIN_AFTER_MS = 1_000;

  private final TreeMap<Integer, Pending> pending = new TreeMap<>();
  private int last;

  private static final class Pending {
    final Held.Run run;
    final WorkReport report;

    /** The gateway wants it again then; 0: it does not. */
    long againAt;

    Pending(Held.Run run, WorkReport report) {
      this.run = run;
      this.report = report;
    }
  }

  /** What follows from an answer: the hold of `run` is over, or `instead` is to be reported. */
  record Answer(Held.Run run, JobOutcome instead) {}

  /** All reports up to this one are answered. */
  int ackedThrough() {
    return pending.isEmpty() ? last : pending.firstKey() - 1;
  }

  /** The next report, to be sent. */
  WorkReport enter(Held.Run run, JobOutcome outcome) {
    int acked = ackedThrough();
    last++;
    WorkReport report =
        WorkReport.newBuilder()
            .setReportId(last)
            .setAckedThrough(acked)
            .setLease(run.job.getLease())
            .setOutcome(outcome)
            .build();
    pending.put(last, new Pending(run, report));
    return report;
  }

  /** A new stream is up: all that has no answer, unchanged, but for what has to wait. */
  List<WorkReport> unanswered() {
    return pending.values().stream().filter(p -> p.againAt == 0).map(p -> p.report).toList();
  }

  /** Those whose wait is over. */
  List<WorkReport> due() {
    List<WorkReport> due = new ArrayList<>();
    for (Pending each : pending.values()) {
      if (each.againAt != 0 && each.againAt <= Loop.now()) {
        each.againAt = 0;
        due.add(each.report);
      }
    }
    return due;
  }

  /** A new session: numbers begin anew. Nothing is sent before its stream is up. */
  void restart() {
    List<Pending> old = List.copyOf(pending.values());
    pending.clear();
    last = 0;
    old.forEach(each -> enter(each.run, each.report.getOutcome()));
  }

  /** The gateway has answered a report. Null: nothing follows yet. */
  Answer answered(WorkReportAck ack) {
    Pending entry = pending.get(ack.getReportId());
    boolean refused = ack.getOutcomeCase() == WorkReportAck.OutcomeCase.ERROR;
    if (entry == null || ack.getOutcomeCase() == WorkReportAck.OutcomeCase.OUTCOME_NOT_SET) {
      return null;
    }
    Facts facts = Facts.of(ack.getError());
    if (refused && (facts.retryAfter() >= 0 || AGAIN.contains(facts.reason()))) {
      long wait = facts.retryAfter() >= 0 ? facts.retryAfter() : AGAIN_AFTER_MS;
      entry.againAt = Loop.now() + wait;
      return null;
    }
    pending.remove(ack.getReportId());
    return new Answer(entry.run, refused ? afterRefusal(entry, facts) : null);
  }

  private static JobOutcome afterRefusal(Pending entry, Facts facts) {
    if (GONE.contains(facts.reason())) {
      return null;
    }
    if (facts.reason().equals("JOB_HAS_PENDING_CHILDREN")) {
      AwaitChildrenOutcome children = AwaitChildrenOutcome.getDefaultInstance();
      return JobOutcome.newBuilder().setAwaitChildren(children).build();
    }
    if (entry.run.refused) { // The lock lapses, and the job goes to somebody else.
      System.err.println("a report was refused twice: " + facts.message());
      return null;
    }
    entry.run.refused = true;
    boolean succeeded = entry.report.getOutcome().hasComplete();
    boolean last = succeeded && !facts.reason().equals("JOB_HAS_FAILED_CHILDREN");
    String why = facts.reason().isEmpty() ? facts.message() : facts.reason();
    return Outcomes.fail(
        "RefusedOutcome",
        "the gateway refused the outcome: " + why,
        last ? RetryMode.RETRY_MODE_NEVER : RetryMode.RETRY_MODE_DEFAULT);
  }
}
