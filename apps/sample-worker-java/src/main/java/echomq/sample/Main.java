package echomq.sample;

import echomq.worker.Options;
import echomq.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Works on checksum, flaky, slow, echo and doomed jobs. */
final class Main {
  private static final String USAGE =
      """
      sample-worker [options]

        --address HOST:PORT  the gateway (127.0.0.1:50051)
        --queue NAME         the queue (demo)
        --concurrency N      jobs at once (4)
        --name TEXT          what the worker is called
        --lock-duration MS   until a dead worker's jobs are free (the gateway's default)
      """;
  private static final Set<String> FLAGS =
      Set.of("address", "queue", "concurrency", "name", "lock-duration");

  private Main() {}

  public static void main(String[] args) throws InterruptedException, IOException {
    Worker worker;
    try {
      worker = new Worker(read(args), Handlers::handle);
    } catch (IllegalArgumentException error) {
      System.err.println(error.getMessage() + "\n\n" + USAGE);
      System.exit(2);
      return;
    }
    Handlers.warmUp();
    worker.serve();
  }

  private static Options read(String[] args) {
    Map<String, String> given = new HashMap<>();
    for (int at = 0; at < args.length; at++) {
      String[] parts = args[at].split("=", 2);
      String flag = parts[0].startsWith("--") ? parts[0].substring(2) : "";
      if (!FLAGS.contains(flag)) {
        throw new IllegalArgumentException("no such flag: " + args[at]);
      }
      if (parts.length == 1 && at + 1 == args.length) {
        throw new IllegalArgumentException("--" + flag + " has no value");
      }
      given.put(flag, parts.length == 2 ? parts[1] : args[++at]);
    }
    int concurrency = Integer.parseInt(given.getOrDefault("concurrency", "4"));
    if (concurrency < 1) {
      throw new IllegalArgumentException("--concurrency is at least 1");
    }
    return new Options(
        given.getOrDefault("address", "127.0.0.1:50051"),
        given.getOrDefault("queue", "demo"),
        concurrency,
        given.getOrDefault("name", ""),
        Duration.ofMillis(Long.parseLong(given.getOrDefault("lock-duration", "0"))));
  }
}
