package echomq.worker;

import com.google.protobuf.ByteString;
import echomq.v1.CompleteOutcome;
import echomq.v1.DeliveredJob;
import echomq.v1.FailOutcome;
import echomq.v1.JobOutcome;
import echomq.v1.ReleaseOutcome;
import echomq.v1.RetryMode;
import java.util.function.Consumer;

/** How a run may end. */
final class Outcomes {
  /** Beyond it the message would break the stream; the gateway's own limit is lower. */
  private static final int MAX_RESULT = Stream.MAX_MESSAGE - 65_536;

  private static final int MAX_REASON = 4_096;

  /** As if it had never been taken. */
  static final JobOutcome RELEASE =
      JobOutcome.newBuilder().setRelease(ReleaseOutcome.newBuilder().setToFront(true)).build();

  /** As somebody has asked. */
  static final JobOutcome CANCELLED = fail("Cancelled", "cancelled", RetryMode.RETRY_MODE_DEFAULT);

  private Outcomes() {}

  /** Runs the handler to its end, whatever that is. */
  static JobOutcome of(
      Handler handler, String address, DeliveredJob job, Consumer<ByteString> progress) {
    try {
      DeliveredJob whole = job;
      if (job.getDataOmitted()) {
        whole = job.toBuilder().setData(Stream.readData(address, job.getLease())).build();
      }
      return complete(handler.handle(whole, progress));
    } catch (Throwable error) { // An error of a handler is no error of the worker.
      boolean last = error instanceof Handler.Final;
      RetryMode retry = last ? RetryMode.RETRY_MODE_NEVER : RetryMode.RETRY_MODE_DEFAULT;
      return fail(error.getClass().getSimpleName(), String.valueOf(error.getMessage()), retry);
    }
  }

  private static JobOutcome complete(ByteString result) {
    if (result.size() > MAX_RESULT) {
      String reason = "the result has " + result.size() + " bytes, too many for a message";
      return fail("ResultTooLarge", reason, RetryMode.RETRY_MODE_NEVER);
    }
    CompleteOutcome.Builder complete = CompleteOutcome.newBuilder().setReturnValue(result);
    return JobOutcome.newBuilder().setComplete(complete).build();
  }

  /** A failed attempt; whether another follows, the server decides. */
  static JobOutcome fail(String name, String reason, RetryMode retry) {
    FailOutcome.Builder fail =
        FailOutcome.newBuilder()
            .setErrorName(name)
            .setMessage(reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason)
            .setRetry(retry);
    return JobOutcome.newBuilder().setFail(fail).build();
  }
}
