package echomq.worker;

import echomq.v1.DeliveredJob;
import echomq.v1.HeldJob;
import echomq.v1.HeldSet;
import echomq.v1.JobLease;
import echomq.v1.JobOutcome;
import echomq.v1.JobSignal;
import echomq.v1.LeaseRenewal;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/** The jobs in the worker's hands, by token: the same job may be here twice. Used on one thread. */
final class Held {
  enum State {
    BUFFERED,
    RUNNING,
    REPORTED,
    LOST
  }

  /** One delivery of a job, from its arrival to its answer. */
  static final class Run {
    final DeliveredJob job;
    State state = State.BUFFERED;

    /** When it was delivered. */
    final long since = Loop.now();

    /** The gateway has refused an outcome already. */
    boolean refused;

    private Thread thread;

    /** What is reported of a handler that is being stopped. */
    private JobOutcome stoppedAs;

    Run(DeliveredJob job) {
      this.job = job;
    }

    String token() {
      return job.getLease().getLeaseToken();
    }
  }

  private final Map<String, Run> runs = new LinkedHashMap<>();
  private final Set<Run> alive = new HashSet<>();
  private final BiConsumer<Run, JobOutcome> report;

  Held(BiConsumer<Run, JobOutcome> report) {
    this.report = report;
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** Handlers alive, those of lost jobs included. */
  int running() {
    return alive.size();
  }

  /** Handlers of lost jobs that have not stopped yet. */
  int zombies() {
    return (int) alive.stream().filter(run -> run.state == State.LOST).count();
  }

  List<JobLease> leases() {
    return runs.values().stream().map(run -> run.job.getLease()).toList();
  }

  /** As heartbeats say it. */
  HeldSet named() {
    HeldSet.Builder named = HeldSet.newBuilder();
    runs.forEach(
        (token, run) -> {
          boolean running = run.state != State.BUFFERED;
          named.addJobs(HeldJob.newBuilder().setLeaseToken(token).setRunning(running));
        });
    return named.build();
  }

  void add(DeliveredJob job) {
    Run run = new Run(job);
    runs.put(run.token(), run);
  }

  /** Says running of as many as may begin; they are to be started after a heartbeat. */
  List<Run> next(int concurrency) {
    int free = Math.max(0, concurrency - alive.size());
    List<Run> next = in(State.BUFFERED).stream().limit(free).toList();
    for (Run run : next) {
      run.state = State.RUNNING;
      alive.add(run);
    }
    return next;
  }

  /** Starts a handler on a thread of its own; an interrupt stops it. */
  void start(Run run, Runnable handler) {
    run.thread = new Thread(handler, "handler");
    run.thread.setDaemon(true);
    run.thread.start();
  }

  /** A handler has ended; nothing is reported of a lost job. */
  void ended(Run run, JobOutcome outcome) {
    alive.remove(run);
    if (run.state == State.RUNNING) {
      boolean stopped = run.stoppedAs != null && outcome.hasFail();
      report.accept(run, stopped ? run.stoppedAs : outcome);
    }
  }

  /** Something happened to a job. Kinds from a newer gateway change nothing. */
  void signalled(JobSignal signal) {
    String token = signal.getLease().getLeaseToken();
    switch (signal.getKind()) {
      case JOB_SIGNAL_KIND_LOCK_LOST,
          JOB_SIGNAL_KIND_REMOVED,
          JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME ->
          lose(token);
      case JOB_SIGNAL_KIND_CANCEL_REQUESTED -> stop(token, Outcomes.CANCELLED, true);
      case JOB_SIGNAL_KIND_RECALL -> stop(token, Outcomes.RELEASE, false);
      default -> {}
    }
  }

  /** The standing of a lease has changed. */
  void renewed(LeaseRenewal renewal) {
    switch (renewal.getStatus()) {
      case LEASE_STATUS_LOST, LEASE_STATUS_NOT_OWNED, LEASE_STATUS_NOT_FOUND ->
          lose(renewal.getLeaseToken());
      case LEASE_STATUS_CANCEL_REQUESTED ->
          stop(renewal.getLeaseToken(), Outcomes.CANCELLED, true);
      default -> {}
    }
  }

  /** A report was answered. */
  void over(Run run) {
    runs.remove(run.token());
  }

  /** The lease is over. That of a reported job, the report's answer will say. */
  void lose(String token) {
    Run run = runs.get(token);
    if (run != null && run.state != State.REPORTED) {
      runs.remove(token);
      run.state = State.LOST;
      if (run.thread != null) {
        run.thread.interrupt();
      }
    }
  }

  /** The worker's own clock says that these leases may be over: so they are. */
  void lapse(LongPredicate over) {
    for (Run run : List.copyOf(runs.values())) {
      if (over.test(run.since)) {
        lose(run.token());
      }
    }
  }

  /** Ends a job that has not begun at once, and with `begun` another when its handler has stopped. */
  private void stop(String token, JobOutcome outcome, boolean begun) {
    Run run = runs.get(token);
    if (run != null && run.state == State.BUFFERED) {
      report.accept(run, outcome);
    } else if (run != null && run.state == State.RUNNING && begun) {
      run.stoppedAs = outcome;
      run.thread.interrupt();
    }
  }

  /** Gives back what has not begun, and with `begun` all others, whose handlers are stopped. */
  void releaseAll(boolean begun) {
    List.copyOf(runs.keySet()).forEach(token -> stop(token, Outcomes.RELEASE, begun));
  }

  /** The stream is gone, and with it what had not begun. */
  void forgetBuffered() {
    Predicate<Run> buffered = run -> run.state == State.BUFFERED;
    runs.values().removeIf(buffered);
  }

  private List<Run> in(State state) {
    return runs.values().stream().filter(run -> run.state == state).toList();
  }
}
