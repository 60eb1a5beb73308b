package echomq.sample;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import echomq.v1.DeliveredJob;
import echomq.worker.Handler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What the jobs of the sample are about; the name of a job says what is to be done. */
final class Handlers {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final int CHUNK = 1 << 20;

  private Handlers() {}

  /** Loads what the first job would wait for. */
  static void warmUp() throws IOException {
    JSON.readTree(json(Map.of("ms", 0)).toStringUtf8());
  }

  /** Works on a job. An interrupt stops it. Returns JSON, and tells its progress as JSON. */
  static ByteString handle(DeliveredJob job, Consumer<ByteString> progress) throws Exception {
    return switch (job.getName()) {
      case "checksum" -> checksum(data(job).required("path").asText());
      case "flaky" -> flaky(data(job).required("failures").asInt(), job.getAttempt());
      case "slow" -> slow(data(job).required("ms"), progress);
      case "echo" -> echo(job);
      case "doomed" -> throw new Handler.Final("this job never succeeds");
      default -> throw new Handler.Final("no handler for \"" + job.getName() + "\"");
    };
  }

  /** Reads a file piece by piece, so that its size does not matter. */
  private static ByteString checksum(String path)
      throws IOException, NoSuchAlgorithmException, InterruptedException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] chunk = new byte[CHUNK];
    long bytes = 0;
    long lines = 0;
    try (InputStream file = Files.newInputStream(Path.of(path))) {
      for (int read; (read = file.read(chunk)) > 0; bytes += read) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        digest.update(chunk, 0, read);
        for (int at = 0; at < read; at++) {
          if (chunk[at] == '\n') {
            lines++;
          }
        }
      }
    }
    String sha256 = HexFormat.of().formatHex(digest.digest());
    return json(new TreeMap<>(Map.of("bytes", bytes, "lines", lines, "sha256", sha256)));
  }

  /** Fails so often before it succeeds; how often it is tried again, the producer has said. */
  private static ByteString flaky(int failures, int attempt) throws IOException {
    if (attempt <= failures) {
      throw new IllegalStateException("failure " + attempt + " of " + failures);
    }
    return json(Map.of("attempts", attempt));
  }

  /** Takes its time and says how far it is. */
  private static ByteString slow(JsonNode ms, Consumer<ByteString> progress)
      throws IOException, InterruptedException {
    for (int share = 10; share <= 100; share += 10) {
      Thread.sleep(Math.round(ms.asDouble() / 10));
      progress.accept(json(share));
    }
    return json(Map.of("ms", ms));
  }

  /** What comes is what goes back, byte for byte; what is no JSON fails here. */
  private static ByteString echo(DeliveredJob job) throws IOException {
    data(job);
    return job.getData();
  }

  private static JsonNode data(DeliveredJob job) throws IOException {
    if (!job.getData().isValidUtf8()) {
      throw new CharacterCodingException();
    }
    return JSON.readTree(job.getData().toStringUtf8());
  }

  private static ByteString json(Object value) throws IOException {
    return ByteString.copyFrom(JSON.writeValueAsBytes(value));
  }
}
