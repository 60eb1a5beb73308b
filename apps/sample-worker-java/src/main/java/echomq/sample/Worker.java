package echomq.sample;

import com.google.protobuf.ByteString;
import echomq.sample.Main.Options;
import echomq.sample.Stream.Facts;
import echomq.v1.JobOutcome;
import echomq.v1.WorkDrain;
import echomq.v1.WorkOpened;
import echomq.v1.WorkProgress;
import echomq.v1.WorkReport;
import echomq.v1.WorkRequest;
import echomq.v1.WorkResponse;
import echomq.v1.WorkerDirectiveAction;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The protocol of docs/protocol.md: one session over as many streams as it takes. Everything but
 * the handlers happens on one thread, `loop`.
 */
final class Worker {
  private static final int OPENED_WITHIN_MS = 10_000;

  /** After SIGTERM handlers have so long to end, and then reports to be answered. */
  private static final int HANDLERS_LIMIT_MS = 10_000;

  private static final int ANSWERS_LIMIT_MS = 40_000;

  /** The gateway wants no more of a session. */
  private static final Set<String> OVER = Set.of("WORKER_UNRESPONSIVE", "SESSION_SUPERSEDED");

  private final Options options;
  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  private final CountDownLatch over = new CountDownLatch(1);
  private final Reports reports = new Reports();
  private final Held held = new Held(this::report);
  private final Session session;
  private final Backoff backoff = new Backoff();
  private final Silence silence = new Silence();
  private boolean announced;

  /** When stopping began; 0: not yet. */
  private long stoppingSince;

  // What holds for one stream alone.
  private Stream stream;
  private ScheduledFuture<?> looking;
  private long began;
  private boolean up;
  private boolean left;
  private boolean quiet;
  private boolean draining;
  private int window;
  private long beatAt;
  private long beatEach;

  Worker(Options options) {
    this.options = options;
    session = new Session(options);
  }

  /** Milliseconds of a clock that only goes forward. */
  static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Works until {@link #stop} has come to its end. */
  void run() throws InterruptedException {
    loop.execute(this::connect);
    over.await();
  }

  /** Takes no more and works to the end of what is held. Returns whether all was answered. */
  boolean stop() throws InterruptedException {
    loop.execute(
        () -> {
          stoppingSince = now();
          updateWindow();
          held.releaseAll(false);
          leaveIfDone();
          if (held.isEmpty() && !up) {
            ended(stream, Facts.text("told to stop"));
          }
        });
    return over.await(ANSWERS_LIMIT_MS, TimeUnit.MILLISECONDS);
  }

  private void connect() {
    held.forgetBuffered();
    up = left = quiet = draining = false;
    silence.begin(OPENED_WITHIN_MS);
    began = now();
    window = wantedWindow();
    Stream[] own = new Stream[1];
    own[0] =
        new Stream(
            options.address(), loop, message -> heard(own[0], message), facts -> ended(own[0], facts));
    stream = own[0];
    stream.send(session.open(window, held, reports.ackedThrough()));
    looking = loop.scheduleWithFixedDelay(this::look, Silence.LOOK_MS, Silence.LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private void ended(Stream which, Facts facts) {
    if (which != stream) {
      return; // One that was left.
    }
    if (stream != null) {
      stream.leave();
      looking.cancel(false);
      stream = null;
    }
    up = false;
    if (stoppingSince != 0 && held.isEmpty()) {
      loop.shutdownNow();
      over.countDown();
      return;
    }
    if (OVER.contains(facts.reason())) {
      session.restart();
      reports.restart();
    }
    System.err.printf(
        "%s: the stream ended: %s %s%n", session.name(), facts.reason(), facts.message());
    long wait = backoff.next(now() - began, facts.retryAfter());
    loop.schedule(this::connect, wait, TimeUnit.MILLISECONDS);
  }

  /** What is due. */
  private void look() {
    Silence.Look seen = silence.look();
    if (seen == Silence.Look.DEAD) {
      ended(stream, Facts.text("the gateway is silent"));
    }
    if (seen != Silence.Look.ALIVE) {
      return;
    }
    if (up && beatAt <= now()) {
      heartbeat();
    }
    reports.due().forEach(this::send);
    if (stoppingSince != 0 && now() - stoppingSince > HANDLERS_LIMIT_MS) {
      held.releaseAll(true);
    }
    updateWindow();
    leaveIfDone();
  }

  private void heard(Stream which, WorkResponse response) {
    if (which != stream) {
      return;
    }
    silence.heard();
    switch (response.getMessageCase()) {
      case OPENED -> opened(response.getOpened());
      case DELIVERY -> {
        response.getDelivery().getJobsList().forEach(held::add);
        if (!taking()) {
          held.releaseAll(false);
        }
        if (!begin()) {
          heartbeat();
        }
      }
      case REPORT_ACK -> {
        backoff.reset();
        answered(reports.answered(response.getReportAck()));
      }
      case JOB_SIGNAL -> held.signalled(response.getJobSignal());
      case HEARTBEAT_ACK -> response.getHeartbeatAck().getLeasesList().forEach(held::renewed);
      case DIRECTIVE -> {
        Stream now = stream;
        WorkerDirectiveAction action = response.getDirective().getAction();
        long after = Stream.millis(response.getDirective().getAfter());
        loop.schedule(() -> follow(now, action), after, TimeUnit.MILLISECONDS);
      }
      default -> {} // A keepalive, or from a newer gateway: a sign of life.
    }
  }

  private void opened(WorkOpened opened) {
    up = true;
    silence.begin(Stream.millis(opened.getKeepaliveInterval()) * 5 / 2);
    beatEach = Stream.millis(opened.getHeartbeatInterval()) / 2;
    opened.getRejectedList().forEach(renewal -> held.lose(renewal.getLeaseToken()));
    heartbeat();
    reports.unanswered().forEach(this::send);
    if (!announced) {
      announced = true;
      System.out.printf(
          "%s: works on \"%s\" at %s%n", session.name(), options.queue(), options.address());
    }
    updateWindow();
    leaveIfDone();
  }

  private void follow(Stream which, WorkerDirectiveAction action) {
    if (which != stream || stoppingSince != 0) {
      return;
    }
    switch (action) {
      case WORKER_DIRECTIVE_ACTION_RECONNECT -> {
        stream.leave();
        looking.cancel(false);
        connect();
      }
      case WORKER_DIRECTIVE_ACTION_QUIET -> quiet = true;
      case WORKER_DIRECTIVE_ACTION_UNSPECIFIED -> quiet = false;
      case WORKER_DIRECTIVE_ACTION_DRAIN -> {
        draining = true;
        held.releaseAll(false);
      }
      default -> {}
    }
    updateWindow();
    leaveIfDone();
  }

  private void answered(Reports.Answer answer) {
    if (answer == null) {
      return;
    }
    if (answer.instead() != null) {
      report(answer.run(), answer.instead());
    } else {
      held.over(answer.run());
    }
    leaveIfDone();
  }

  /** Starts as many handlers as may run; the heartbeat that says so goes first. */
  private boolean begin() {
    List<Held.Run> next = held.next(options.concurrency());
    if (next.isEmpty()) {
      return false;
    }
    heartbeat();
    next.forEach(run -> held.start(run, () -> work(run)));
    return true;
  }

  /** On the handler's own thread. */
  private void work(Held.Run run) {
    JobOutcome outcome =
        Outcomes.of(
            options.address(), run.job, json -> loop.execute(() -> progressed(run, json)));
    loop.execute(
        () -> {
          held.ended(run, outcome);
          begin();
        });
  }

  private void progressed(Held.Run run, ByteString progress) {
    if (run.state == Held.State.RUNNING) {
      WorkProgress.Builder message = WorkProgress.newBuilder().setLease(run.job.getLease());
      say(WorkRequest.newBuilder().setProgress(message.setProgress(progress)).build());
    }
  }

  private void report(Held.Run run, JobOutcome outcome) {
    run.state = Held.State.REPORTED;
    send(reports.enter(run, outcome));
  }

  private void send(WorkReport report) {
    say(WorkRequest.newBuilder().setReport(report).build());
  }

  private boolean taking() {
    return stoppingSince == 0 && !quiet && !draining;
  }

  private int wantedWindow() {
    return taking() ? Math.max(0, options.concurrency() - held.zombies()) : 0;
  }

  private void updateWindow() {
    if (up && window != wantedWindow()) {
      window = wantedWindow();
      say(session.window(window));
    }
  }

  /** The last words: drain, and this side is closed. The gateway then ends the stream. */
  private void leaveIfDone() {
    boolean leaving = stoppingSince != 0 || draining;
    if (leaving && up && held.isEmpty() && !left) {
      WorkDrain.Builder drain = WorkDrain.newBuilder().setReason("nothing is held any more");
      say(WorkRequest.newBuilder().setDrain(drain.setReleaseUnstarted(true)).build());
      left = true;
      stream.halfClose();
    }
  }

  private void heartbeat() {
    beatAt = now() + beatEach;
    say(session.heartbeat(held, reports.ackedThrough()));
  }

  /** Says it while a stream is open; what is said before is said again then. */
  private void say(WorkRequest message) {
    if (up && !left) {
      stream.send(message);
    }
  }
}
