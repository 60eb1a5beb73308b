package echomq.worker;

import com.google.protobuf.ByteString;
import echomq.worker.Stream.Facts;
import echomq.v1.JobOutcome;
import echomq.v1.WorkHeartbeatAck;
import echomq.v1.WorkOpened;
import echomq.v1.WorkProgress;
import echomq.v1.WorkReport;
import echomq.v1.WorkRequest;
import echomq.v1.WorkResponse;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The protocol of docs/protocol.md: one session over as many streams as it takes. Everything but
 * the handlers happens on one thread, `loop`.
 */
final class Loop implements Streams.Owner {
  private static final int ANSWERS_LIMIT_MS = 40_000;

  private final Options options;
  private final Handler handler;
  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  private final CountDownLatch over = new CountDownLatch(1);
  private final Reports reports = new Reports();
  private final Held held = new Held(this::report);
  private final Session session;
  private final Evidence evidence = new Evidence();
  private final Streams streams;
  private final Intake intake;

  Loop(Options options, Handler handler) {
    this.options = options;
    this.handler = handler;
    session = new Session(options);
    streams = new Streams(options.address(), loop, this);
    intake = new Intake(options.concurrency(), session, held, streams);
  }

  /** Milliseconds of a clock that only goes forward. */
  static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Works until {@link #stop} has come to its end. */
  void run() throws InterruptedException {
    loop.execute(streams::connect);
    int each = Silence.LOOK_MS;
    loop.scheduleWithFixedDelay(this::look, each, each, TimeUnit.MILLISECONDS);
    over.await();
  }

  /** Takes no more and works to the end of what is held. Returns whether all was answered. */
  boolean stop() throws InterruptedException {
    loop.execute(intake::stop);
    return over.await(ANSWERS_LIMIT_MS, TimeUnit.MILLISECONDS);
  }

  /** What is due. */
  private void look() {
    held.lapse(evidence::mayBeOver);
    if (!streams.look()) {
      return;
    }
    if (evidence.beatIsDue()) {
      heartbeat();
    }
    reports.due().forEach(this::send);
    intake.look();
  }

  @Override
  public int room() {
    return intake.room();
  }

  @Override
  public WorkRequest open(int window) {
    held.forgetBuffered();
    return session.open(window, held, reports.ackedThrough());
  }

  @Override
  public void opened(WorkOpened opened, long began, int window) {
    intake.opened(window);
    evidence.opened(began, Stream.millis(opened.getHeartbeatInterval()));
    opened.getRejectedList().forEach(renewal -> held.lose(renewal.getLeaseToken()));
    heartbeat();
    reports.unanswered().forEach(this::send);
    session.announce();
    intake.settle();
  }

  @Override
  public boolean down() {
    if (!intake.stopping() || !held.isEmpty()) {
      return false;
    }
    loop.shutdownNow();
    over.countDown();
    return true;
  }

  @Override
  public void sessionOver() {
    session.restart();
    reports.restart();
  }

  @Override
  public void failed(Facts facts) {
    System.err.printf(
        "%s: the stream ended: %s %s%n", session.name(), facts.reason(), facts.message());
  }

  @Override
  public void heard(WorkResponse response) {
    switch (response.getMessageCase()) {
      case DELIVERY -> {
        response.getDelivery().getJobsList().forEach(held::add);
        if (!intake.taking()) {
          held.releaseAll(false);
        }
        if (!begin()) {
          heartbeat();
        }
      }
      case REPORT_ACK -> {
        streams.noteUse();
        answered(reports.answered(response.getReportAck()));
      }
      case JOB_SIGNAL -> held.signalled(response.getJobSignal());
      case HEARTBEAT_ACK -> {
        WorkHeartbeatAck ack = response.getHeartbeatAck();
        evidence.answered(ack.getSeq());
        ack.getLeasesList().forEach(held::renewed);
      }
      case DIRECTIVE -> intake.directed(response.getDirective(), loop);
      default -> {} // A keepalive, or from a newer gateway: a sign of life.
    }
  }

  private void answered(Reports.Answer answer) {
    if (answer != null && answer.instead() != null) {
      report(answer.run(), answer.instead());
    } else if (answer != null) {
      held.over(answer.run());
    }
    intake.settle();
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
    Consumer<ByteString> progress = json -> loop.execute(() -> progressed(run, json));
    JobOutcome outcome = Outcomes.of(handler, options.address(), run.job, progress);
    loop.execute(
        () -> {
          held.ended(run, outcome);
          begin();
        });
  }

  private void progressed(Held.Run run, ByteString progress) {
    if (run.state == Held.State.RUNNING) {
      WorkProgress.Builder message = WorkProgress.newBuilder().setLease(run.job.getLease());
      intake.say(WorkRequest.newBuilder().setProgress(message.setProgress(progress)).build());
    }
  }

  private void report(Held.Run run, JobOutcome outcome) {
    run.state = Held.State.REPORTED;
    send(reports.enter(run, outcome));
  }

  private void send(WorkReport report) {
    intake.say(WorkRequest.newBuilder().setReport(report).build());
  }

  private void heartbeat() {
    intake.say(session.heartbeat(held, reports.ackedThrough()));
    evidence.sent(session.seq());
  }
}
