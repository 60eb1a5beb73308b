package echomq.worker;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before the next stream: random, below a bound that doubles. */
final class Backoff {
  private static final int FIRST_MS = 100;
  private static final int LAST_MS = 10_000;

  /** A stream that lived so long was a good one: the next wait begins anew. */
  private static final int GOOD_STREAM_MS = 5_000;

  private int failures;

  void reset() {
    failures = 0;
  }

  /** Never less than the gateway asked for; -1 when it did not. */
  long next(long livedMs, long retryAfter) {
    failures = livedMs > GOOD_STREAM_MS ? 1 : failures + 1;
    long bound = Math.min(LAST_MS, (long) FIRST_MS << Math.min(failures - 1, 10));
    return Math.max(ThreadLocalRandom.current().nextLong(bound), retryAfter);
  }
}
