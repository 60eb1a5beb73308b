package echomq.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import echomq.v1.DeliveredJob;
import echomq.v1.HeldJob;
import echomq.v1.JobLease;
import echomq.v1.JobOutcome;
import echomq.v1.JobSignal;
import echomq.v1.JobSignalKind;
import echomq.v1.RetryMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HeldTest {
  private record Ending(String token, JobOutcome outcome) {}

  private final List<Ending> reported = new ArrayList<>();
  private final Held held = new Held(this::report);

  /** What ends on a handler's thread is heard here, on that of the test. */
  private final BlockingQueue<Runnable> loop = new LinkedBlockingQueue<>();

  private void report(Held.Run run, JobOutcome outcome) {
    run.state = Held.State.REPORTED;
    reported.add(new Ending(run.token(), outcome));
  }

  private void add(String... tokens) {
    for (String token : tokens) {
      JobLease lease = JobLease.newBuilder().setLeaseToken(token).build();
      held.add(DeliveredJob.newBuilder().setLease(lease).build());
    }
  }

  private void begin(int concurrency, Handler handler) {
    for (Held.Run run : held.next(concurrency)) {
      held.start(
          run,
          () -> {
            JobOutcome outcome = Outcomes.of(handler, "nowhere", run.job, progress -> {});
            loop.add(() -> held.ended(run, outcome));
          });
    }
  }

  private void signal(String token, JobSignalKind kind) {
    JobLease lease = JobLease.newBuilder().setLeaseToken(token).build();
    held.signalled(JobSignal.newBuilder().setLease(lease).setKind(kind).build());
  }

  private static Handler endless() {
    return (job, progress) -> {
      new CountDownLatch(1).await();
      throw new AssertionError("nobody has counted down");
    };
  }

  @Test
  void beginsNoMoreThanMayRunAndNamesAll() {
    add("a", "b", "c");
    begin(2, endless());
    List<HeldJob> named = held.named().getJobsList();
    assertEquals(List.of(true, true, false), named.stream().map(HeldJob::getRunning).toList());
    assertTrue(held.next(2).isEmpty());
  }

  @Test
  void interruptsTheHandlerOfALostJobAndReportsNothingOfIt() throws InterruptedException {
    add("a");
    begin(1, endless());
    signal("a", JobSignalKind.JOB_SIGNAL_KIND_LOCK_LOST);
    assertTrue(held.isEmpty());
    assertEquals(1, held.zombies());
    loop.take().run();
    assertEquals(0, held.zombies());
    assertTrue(reported.isEmpty());
  }

  @Test
  void givesBackAtOnceWhatHasNotBegunAndWhatHasWhenItHasStopped() throws InterruptedException {
    add("a", "b");
    begin(1, endless());
    signal("a", JobSignalKind.JOB_SIGNAL_KIND_RECALL);
    assertTrue(reported.isEmpty(), "it has begun");
    held.releaseAll(true);
    assertEquals(List.of(new Ending("b", Outcomes.RELEASE)), reported);
    loop.take().run();
    assertEquals(new Ending("a", Outcomes.RELEASE), reported.get(1));
  }

  @Test
  void saysOfACancelledJobThatItWasUnlessItHasSucceeded() throws InterruptedException {
    add("a", "b");
    begin(1, endless());
    signal("a", JobSignalKind.JOB_SIGNAL_KIND_CANCEL_REQUESTED);
    loop.take().run();
    assertEquals(Outcomes.CANCELLED, reported.get(0).outcome());
    CountDownLatch end = new CountDownLatch(1);
    begin(
        1,
        (job, progress) -> {
          while (end.getCount() > 0) {
            Thread.onSpinWait(); // It does not hear of the interrupt.
          }
          return ByteString.copyFromUtf8("1");
        });
    signal("b", JobSignalKind.JOB_SIGNAL_KIND_CANCEL_REQUESTED);
    end.countDown();
    loop.take().run();
    assertTrue(reported.get(1).outcome().hasComplete());
  }

  @Test
  void failsTheAttemptOfWhateverIsThrown() throws InterruptedException {
    add("a", "b");
    begin(
        1,
        (job, progress) -> {
          throw new StackOverflowError("too deep");
        });
    loop.take().run();
    begin(
        1,
        (job, progress) -> {
          throw new Handler.Final("never");
        });
    loop.take().run();
    assertEquals("StackOverflowError", reported.get(0).outcome().getFail().getErrorName());
    assertEquals("too deep", reported.get(0).outcome().getFail().getMessage());
    assertEquals(
        List.of(RetryMode.RETRY_MODE_DEFAULT, RetryMode.RETRY_MODE_NEVER),
        reported.stream().map(ending -> ending.outcome().getFail().getRetry()).toList());
  }
}
