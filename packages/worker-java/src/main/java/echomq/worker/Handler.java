package echomq.worker;

import com.google.protobuf.ByteString;
import echomq.v1.DeliveredJob;
import java.util.function.Consumer;

/**
 * Works on jobs, several at once, each on a thread of its own. It must bear a second run of a job.
 */
@FunctionalInterface
public interface Handler {
  /**
   * Works on a job. An interrupt stops it: when the lease is lost, when somebody cancels the job,
   * and when the worker stops and this takes longer than ten seconds.
   *
   * @param progress takes JSON, as the result is; it is sent and forgotten
   * @return the result, JSON that goes byte for byte
   * @throws Exception fails the attempt; whether another follows, the server decides
   * @throws Final fails the job for good
   */
  ByteString handle(DeliveredJob job, Consumer<ByteString> progress) throws Exception;

  /** Fails the job for good, whatever attempts it has left. */
  final class Final extends Exception {
    private static final long serialVersionUID = 1;

    /** For this reason, which the job then tells. */
    public Final(String message) {
      super(message);
    }
  }
}
