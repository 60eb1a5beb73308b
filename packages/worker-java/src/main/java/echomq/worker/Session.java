package echomq.worker;

import com.google.protobuf.Duration;
import echomq.v1.SdkInfo;
import echomq.v1.Subscription;
import echomq.v1.WorkHeartbeat;
import echomq.v1.WorkOpen;
import echomq.v1.WorkRequest;
import echomq.v1.WorkWindow;
import echomq.v1.WorkerInfo;
import echomq.v1.WorkerLoad;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** What a session tells the gateway of itself. It outlives streams; each has the next epoch. */
final class Session {
  private final Options options;
  private WorkerInfo info;
  private int epoch;
  private int seq;
  private boolean announced;

  Session(Options options) {
    this.options = options;
    String host = host();
    String workerId = host + ":" + ProcessHandle.current().pid();
    info =
        WorkerInfo.newBuilder()
            .setWorkerId(workerId)
            .setSessionId(UUID.randomUUID().toString())
            .setName(options.name().isEmpty() ? workerId : options.name())
            .setSdk(SdkInfo.newBuilder().setLanguage("java").setVersion("0.1.0"))
            .setHost(host)
            .setPid((int) ProcessHandle.current().pid())
            .build();
  }

  String name() {
    return info.getName();
  }

  /** Says once that the worker works. */
  void announce() {
    if (!announced) {
      announced = true;
      System.out.printf("%s: works on \"%s\" at %s%n", name(), options.queue(), options.address());
    }
  }

  /** The gateway wants no more of the old one. */
  void restart() {
    info = info.toBuilder().setSessionId(UUID.randomUUID().toString()).build();
    epoch = 0;
  }

  /** The first message of a stream. */
  WorkRequest open(int window, Held held, int ackedThrough) {
    Subscription.Builder subscription =
        Subscription.newBuilder().setQueue(options.queue()).setMaxInFlight(window);
    long lock = options.lockDuration().toMillis();
    if (lock > 0) {
      int nanos = (int) TimeUnit.MILLISECONDS.toNanos(lock % 1_000);
      subscription.setLockDuration(Duration.newBuilder().setSeconds(lock / 1_000).setNanos(nanos));
    }
    WorkOpen.Builder open =
        WorkOpen.newBuilder()
            .setWorker(info)
            .addSubscriptions(subscription)
            .addAllHeld(held.leases())
            .setEpoch(epoch++)
            .setLoad(load(held))
            .setAckedThrough(ackedThrough);
    return WorkRequest.newBuilder().setOpen(open).build();
  }

  /** Of the last heartbeat. It never falls: two streams may be open at once. */
  int seq() {
    return seq;
  }

  /** Says that the worker lives, and all that it holds. */
  WorkRequest heartbeat(Held held, int ackedThrough) {
    WorkHeartbeat.Builder heartbeat =
        WorkHeartbeat.newBuilder()
            .setSeq(++seq)
            .setHeld(held.named())
            .setAckedThrough(ackedThrough)
            .setLoad(load(held));
    return WorkRequest.newBuilder().setHeartbeat(heartbeat).build();
  }

  /** Asks for so many jobs at once. */
  WorkRequest window(int size) {
    WorkWindow.Builder window = WorkWindow.newBuilder().setQueue(options.queue());
    return WorkRequest.newBuilder().setWindow(window.setMaxInFlight(size)).build();
  }

  private WorkerLoad load(Held held) {
    return WorkerLoad.newBuilder()
        .setRunning(held.running())
        .setCapacity(options.concurrency())
        .build();
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException error) {
      return "localhost";
    }
  }
}
