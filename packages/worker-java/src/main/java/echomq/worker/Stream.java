package echomq.worker;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import echomq.v1.GetJobDataRequest;
import echomq.v1.GetJobDataResponse;
import echomq.v1.JobLease;
import echomq.v1.WorkRequest;
import echomq.v1.WorkResponse;
import echomq.v1.WorkerServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One Work stream over a connection of its own, so that a balancer can choose another gateway. */
final class Stream {
  /** What a message may have each way; a delivery has at most 3.5 MiB. */
  static final int MAX_MESSAGE = 4 << 20;

  private static final int READ_SECONDS = 60;

  private final ManagedChannel channel;
  private final StreamObserver<WorkRequest> requests;
  private boolean closed;

  /** The machine-readable part of an error; `retryAfter` in ms, 0 for at once, -1 for none. */
  record Facts(String reason, String message, long retryAfter) {
    static Facts of(Status status) {
      String reason = "";
      long retryAfter = -1;
      try {
        for (Any detail : status.getDetailsList()) {
          if (detail.is(ErrorInfo.class)) {
            reason = detail.unpack(ErrorInfo.class).getReason();
          } else if (detail.is(RetryInfo.class)) {
            retryAfter = millis(detail.unpack(RetryInfo.class).getRetryDelay());
          }
        }
      } catch (InvalidProtocolBufferException error) {
        reason = "";
      }
      return new Facts(reason, status.getMessage(), retryAfter);
    }

    static Facts of(Throwable error) {
      Status status = StatusProto.fromThrowable(error);
      return status == null ? text(String.valueOf(error.getMessage())) : of(status);
    }

    static Facts text(String message) {
      return new Facts("", message, -1);
    }
  }

  /** Hears and ends on `loop`; `ended` is called once, and not after {@link #leave}. */
  Stream(String address, Executor loop, Consumer<WorkResponse> heard, Consumer<Facts> ended) {
    channel = connect(address);
    StreamObserver<WorkResponse> responses =
        new StreamObserver<>() {
          @Override
          public void onNext(WorkResponse message) {
            loop.execute(() -> heard.accept(message));
          }

          @Override
          public void onError(Throwable error) {
            loop.execute(() -> ended.accept(Facts.of(error)));
          }

          @Override
          public void onCompleted() {
            loop.execute(() -> ended.accept(Facts.text("by the gateway")));
          }
        };
    requests = WorkerServiceGrpc.newStub(channel).work(responses);
  }

  void send(WorkRequest message) {
    if (!closed) {
      requests.onNext(message);
    }
  }

  /** No more is said; the gateway then ends the stream. */
  void halfClose() {
    if (!closed) {
      closed = true;
      requests.onCompleted();
    }
  }

  /** Breaks it off, and gives the connection up. */
  void leave() {
    closed = true;
    channel.shutdownNow();
  }

  /** The payload that a delivery has left out. Over its own connection: it outlives streams. */
  static ByteString readData(String address, JobLease lease) {
    ManagedChannel channel = connect(address);
    try {
      Iterator<GetJobDataResponse> parts =
          WorkerServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(READ_SECONDS, TimeUnit.SECONDS)
              .getJobData(GetJobDataRequest.newBuilder().setLease(lease).build());
      ByteString.Output data = ByteString.newOutput();
      while (parts.hasNext()) {
        parts.next().getChunk().writeTo(data);
      }
      return data.toByteString();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } finally {
      channel.shutdownNow();
    }
  }

  static long millis(Duration duration) {
    return TimeUnit.SECONDS.toMillis(duration.getSeconds())
        + TimeUnit.NANOSECONDS.toMillis(duration.getNanos());
  }

  private static ManagedChannel connect(String address) {
    return Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
        .maxInboundMessageSize(MAX_MESSAGE)
        .keepAliveTime(30, TimeUnit.SECONDS)
        .keepAliveTimeout(20, TimeUnit.SECONDS)
        .disableRetry()
        .build();
  }
}
