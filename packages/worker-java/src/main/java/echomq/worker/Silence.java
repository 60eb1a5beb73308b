package echomq.worker;

/**
 * How long the gateway has said nothing. Counted by looks, not measured: a process that was stopped
 * first reads what has come meanwhile.
 */
final class Silence {
  /** Between two looks. */
  static final int LOOK_MS = 100;

  private static final int ASLEEP_MS = 1_000;

  private long lasts;
  private long limit;
  private long lookedAt;

  enum Look {
    /** Too long: the stream is dead, whatever TCP says. */
    DEAD,
    /** The process had been stopped: first let what has come be read. */
    JUST_AWAKE,
    ALIVE
  }

  void begin(long limitMs) {
    lasts = 0;
    limit = limitMs;
    lookedAt = Loop.now();
  }

  void heard() {
    lasts = 0;
  }

  Look look() {
    long before = lookedAt;
    lookedAt = Loop.now();
    lasts += LOOK_MS;
    if (lasts > limit) {
      return Look.DEAD;
    }
    return lookedAt - before > ASLEEP_MS ? Look.JUST_AWAKE : Look.ALIVE;
  }
}
