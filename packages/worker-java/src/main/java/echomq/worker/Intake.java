package echomq.worker;

import echomq.v1.WorkDrain;
import echomq.v1.WorkRequest;
import echomq.v1.WorkerDirective;
import echomq.v1.WorkerDirectiveAction;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** How much the worker takes, by the gateway's wishes and its own, and how it leaves. */
final class Intake {
  /** After SIGTERM handlers have so long to end; then their jobs go back. */
  private static final int HANDLERS_LIMIT_MS = 10_000;

  private final int concurrency;
  private final Session session;
  private final Held held;
  private final Streams streams;

  /** When stopping began; 0: not yet. */
  private long stoppingSince;

  // What holds for one stream alone.
  private boolean left;
  private boolean quiet;
  private boolean draining;
  private int window;

  Intake(int concurrency, Session session, Held held, Streams streams) {
    this.concurrency = concurrency;
    this.session = session;
    this.held = held;
    this.streams = streams;
  }

  boolean stopping() {
    return stoppingSince != 0;
  }

  boolean taking() {
    return !stopping() && !quiet && !draining;
  }

  /** For how many jobs there is room where any are taken. */
  int room() {
    return stopping() ? 0 : Math.max(0, concurrency - held.zombies());
  }

  /** A stream is live that was asked for with this window. */
  void opened(int size) {
    left = quiet = draining = false;
    window = size;
  }

  /** Takes no more, and gives back what has not begun. */
  void stop() {
    stoppingSince = Loop.now();
    held.releaseAll(false);
    settle();
    streams.stop(!held.isEmpty());
  }

  /** A wish is followed so long after it came, unless its stream is gone by then. */
  void directed(WorkerDirective directive, ScheduledExecutorService loop) {
    Streams.Link on = streams.live();
    Runnable follow =
        () -> {
          if (on == streams.live() && !stopping()) {
            follow(directive.getAction());
          }
        };
    loop.schedule(follow, Stream.millis(directive.getAfter()), TimeUnit.MILLISECONDS);
  }

  private void follow(WorkerDirectiveAction action) {
    switch (action) {
      case WORKER_DIRECTIVE_ACTION_RECONNECT -> {
        // The old one serves what is held until the new one is open.
        quiet = true;
        held.releaseAll(false);
        streams.connect();
      }
      case WORKER_DIRECTIVE_ACTION_QUIET -> quiet = true;
      case WORKER_DIRECTIVE_ACTION_UNSPECIFIED -> quiet = streams.moving();
      case WORKER_DIRECTIVE_ACTION_DRAIN -> {
        draining = true;
        held.releaseAll(false);
      }
      default -> {} // From a newer gateway.
    }
    settle();
  }

  void look() {
    if (stopping() && Loop.now() - stoppingSince > HANDLERS_LIMIT_MS) {
      held.releaseAll(true);
    }
    settle();
  }

  /** Says how many jobs are wanted where that has changed, and leaves where all is done. */
  void settle() {
    int wanted = taking() ? room() : 0;
    if (streams.live() != null && window != wanted) {
      window = wanted;
      say(session.window(window));
    }
    leaveIfDone();
  }

  /** Says it while a stream is open; what is said before is said again then. */
  void say(WorkRequest message) {
    if (streams.live() != null && !left) {
      streams.send(message);
    }
  }

  /** The last words: drain, and this side is closed. The gateway then ends the stream. */
  private void leaveIfDone() {
    boolean leaving = stopping() || draining;
    if (leaving && streams.live() != null && held.isEmpty() && !left) {
      WorkDrain.Builder drain = WorkDrain.newBuilder().setReason("nothing is held any more");
      say(WorkRequest.newBuilder().setDrain(drain.setReleaseUnstarted(true)).build());
      left = true;
      streams.halfClose();
    }
  }
}
