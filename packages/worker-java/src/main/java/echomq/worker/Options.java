package echomq.worker;

import java.time.Duration;

/**
 * Where a worker works, and how.
 *
 * @param address the gateway, host:port, without TLS and token
 * @param queue whose jobs it takes
 * @param concurrency how many jobs at once, at least one
 * @param name what the worker is called; empty: by its host and process
 * @param lockDuration until a dead worker's jobs are free; zero: the gateway's default
 */
public record Options(
    String address, String queue, int concurrency, String name, Duration lockDuration) {
  /** As it is written out above. */
  public Options {
    if (concurrency < 1) {
      throw new IllegalArgumentException("concurrency is at least 1");
    }
  }

  /** Four jobs at once of a queue, and for the rest the defaults. */
  public Options(String address, String queue) {
    this(address, queue, 4, "", Duration.ZERO);
  }
}
