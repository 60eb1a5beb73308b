package echomq.worker;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Heartbeats come every 10 s: a lock lasts 30 s. */
final class EvidenceTest {
  private static final long HEARTBEAT = 10_000;

  private final Evidence evidence = new Evidence();

  private static long ago(long seconds) {
    return Loop.now() - seconds * 1_000;
  }

  @Test
  void knowsNothingBeforeAStreamWasOpen() {
    assertFalse(evidence.mayBeOver(ago(60)));
  }

  @Test
  void aLeaseMayBeOverALockAfterTheStreamBeganOrTheDelivery() {
    evidence.opened(ago(31), HEARTBEAT);
    assertTrue(evidence.mayBeOver(ago(31)));
    assertFalse(evidence.mayBeOver(ago(29)));
    evidence.opened(ago(29), HEARTBEAT);
    assertFalse(evidence.mayBeOver(ago(31)), "the new stream has kept it");
  }

  @Test
  void aHeartbeatKeepsItOnceItIsAnswered() {
    evidence.opened(ago(31), HEARTBEAT);
    assertTrue(evidence.beatIsDue());
    evidence.sent(7);
    assertFalse(evidence.beatIsDue());
    assertTrue(evidence.mayBeOver(ago(31)));
    evidence.answered(6);
    assertTrue(evidence.mayBeOver(ago(31)), "another one was answered");
    evidence.answered(7);
    assertFalse(evidence.mayBeOver(ago(31)));
  }
}
