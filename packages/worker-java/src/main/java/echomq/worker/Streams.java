package echomq.worker;

import echomq.worker.Stream.Facts;
import echomq.v1.WorkOpened;
import echomq.v1.WorkRequest;
import echomq.v1.WorkResponse;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One stream after the other, at most two at once: the live one, and the one that is to follow it.
 * Used on one thread, `loop`.
 */
final class Streams {
  private static final int OPENED_WITHIN_MS = 10_000;

  /** The gateway wants no more of a session. */
  private static final Set<String> OVER = Set.of("WORKER_UNRESPONSIVE", "SESSION_SUPERSEDED");

  private final String address;
  private final ScheduledExecutorService loop;
  private final Owner owner;
  private final Backoff backoff = new Backoff();
  private Link live;
  private Link next;
  private Future<?> waiting;

  /** What the streams ask and tell. */
  interface Owner {
    /** For how many jobs there is room. */
    int room();

    /** The first message of a stream. */
    WorkRequest open(int window);

    /** A stream is live, that was begun then and asked for so many jobs. */
    void opened(WorkOpened opened, long began, int window);

    void heard(WorkResponse message);

    /** None is live any more. Returns whether that was the end of all. */
    boolean down();

    /** The next stream begins a new session. */
    void sessionOver();

    /** A stream has ended, or did not come about; another one follows. */
    void failed(Facts facts);
  }

  /** One stream. */
  static final class Link {
    private final long began = Loop.now();
    private final Silence silence = new Silence();
    private int window;
    private Stream stream;
  }

  Streams(String address, ScheduledExecutorService loop, Owner owner) {
    this.address = address;
    this.loop = loop;
    this.owner = owner;
  }

  /** The stream that is open; null: none. */
  Link live() {
    return live;
  }

  /** Another one is on its way. */
  boolean moving() {
    return live != null && (next != null || waiting != null);
  }

  void noteUse() {
    backoff.reset();
  }

  void send(WorkRequest message) {
    live.stream.send(message);
  }

  /** The last message of this side was sent. */
  void halfClose() {
    live.stream.halfClose();
  }

  /** Asks for a stream. One that is live serves until the new one is open, and is then left. */
  void connect() {
    if (next != null || waiting != null) {
      return;
    }
    Link link = new Link();
    link.silence.begin(OPENED_WITHIN_MS);
    link.window = owner.room();
    link.stream =
        new Stream(address, loop, message -> heard(link, message), facts -> ended(link, facts));
    next = link;
    link.stream.send(owner.open(link.window));
  }

  /** Gives up what is asked for, unless it is the only one and needed. */
  void stop(boolean needed) {
    if (live == null && needed) {
      return;
    }
    if (waiting != null) {
      waiting.cancel(false);
      waiting = null;
    }
    if (next != null) {
      ended(next, Facts.text("told to stop"));
    } else if (live == null) {
      owner.down();
    }
  }

  /** Whether the live stream lives, and the process was awake: what is due may be done. */
  boolean look() {
    if (next != null && next.silence.look() == Silence.Look.DEAD) {
      ended(next, Facts.text("the gateway does not answer"));
    }
    if (live == null) {
      return false;
    }
    Silence.Look seen = live.silence.look();
    if (seen == Silence.Look.DEAD) {
      ended(live, Facts.text("the gateway is silent"));
    }
    return seen == Silence.Look.ALIVE;
  }

  private void heard(Link from, WorkResponse message) {
    from.silence.heard();
    if (from == next && message.hasOpened()) {
      Link old = live;
      live = next;
      next = null;
      if (old != null) {
        old.stream.leave();
      }
      live.silence.begin(Stream.millis(message.getOpened().getKeepaliveInterval()) * 5 / 2);
      owner.opened(message.getOpened(), live.began, live.window);
    } else if (from == live) {
      owner.heard(message);
    }
  }

  private void ended(Link which, Facts facts) {
    if (which != live && which != next) {
      return; // One that was left.
    }
    which.stream.leave();
    if (which == next) {
      next = null;
    } else {
      live = null;
    }
    // A gateway that has the new stream of the session ends the old one.
    if (live == null && (owner.down() || next != null)) {
      return;
    }
    if (live == null && OVER.contains(facts.reason())) {
      owner.sessionOver();
    }
    owner.failed(facts);
    if (waiting == null) {
      long wait = backoff.next(Loop.now() - which.began, facts.retryAfter());
      waiting =
          loop.schedule(
              () -> {
                waiting = null;
                connect();
              },
              wait,
              TimeUnit.MILLISECONDS);
    }
  }
}
