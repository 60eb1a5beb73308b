package echomq.worker;

import java.util.TreeMap;

/**
 * What the worker knows of its leases without being told that one is lost: a heartbeat that was
 * answered has kept them from the moment at which it was sent.
 */
final class Evidence {
  private final TreeMap<Integer, Long> sent = new TreeMap<>();
  private long lock = Long.MAX_VALUE;
  private long keptAt;
  private long beatAt;
  private long beatEach;

  /** The gateway has kept what it has not rejected since the stream began. */
  void opened(long began, long heartbeatMs) {
    lock = heartbeatMs * 3;
    beatEach = heartbeatMs / 2;
    keptAt = Math.max(keptAt, began);
    sent.clear();
  }

  boolean beatIsDue() {
    return beatAt <= Loop.now();
  }

  void sent(int seq) {
    beatAt = Loop.now() + beatEach;
    sent.put(seq, Loop.now());
  }

  void answered(int seq) {
    keptAt = Math.max(keptAt, sent.getOrDefault(seq, keptAt));
    sent.headMap(seq, true).clear();
  }

  /** Whether somebody else may hold what was delivered then, whatever the gateway knows. */
  boolean mayBeOver(long deliveredAt) {
    return Loop.now() - Math.max(keptAt, deliveredAt) >= lock;
  }
}
