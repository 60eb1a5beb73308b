package echomq.worker;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import echomq.v1.AddJobRequest;
import echomq.v1.CompleteOutcome;
import echomq.v1.DeliveredJob;
import echomq.v1.FailOutcome;
import echomq.v1.FetchJobsRequest;
import echomq.v1.FinishJobRequest;
import echomq.v1.JobOutcome;
import echomq.v1.ProducerServiceGrpc;
import echomq.v1.WorkerInfo;
import echomq.v1.WorkerServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * Adds and takes jobs over the stubs alone, byte for byte: the Java part of the payload table.
 *
 * <p>{@code write ADDRESS QUEUE,QUEUE FOLDER} adds a job for each file; its name is the file's.
 * {@code read ADDRESS QUEUE,QUEUE} takes all, prints "QUEUE NAME SHA-256", brings the data back.
 */
final class Payloads {
  private static final int MAX_MESSAGE = 16 << 20;
  private static final WorkerInfo ME =
      WorkerInfo.newBuilder()
          .setWorkerId("payloads")
          .setSessionId("java")
          .setName("payloads")
          .build();

  private Payloads() {}

  public static void main(String[] args) throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilder(args[1], InsecureChannelCredentials.create())
            .maxInboundMessageSize(MAX_MESSAGE)
            .build();
    for (String queue : args[2].split(",")) {
      if (args[0].equals("write")) {
        write(ProducerServiceGrpc.newBlockingStub(channel), queue, Path.of(args[3]));
      } else {
        read(WorkerServiceGrpc.newBlockingStub(channel), queue);
      }
    }
    channel.shutdownNow();
  }

  private static void write(
      ProducerServiceGrpc.ProducerServiceBlockingStub producer, String queue, Path folder)
      throws Exception {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        producer.addJob(
            AddJobRequest.newBuilder()
                .setQueue(queue)
                .setName(file.getFileName().toString())
                .setData(ByteString.copyFrom(Files.readAllBytes(file)))
                .build());
      }
    }
  }

  private static void read(WorkerServiceGrpc.WorkerServiceBlockingStub worker, String queue)
      throws Exception {
    FetchJobsRequest fetch =
        FetchJobsRequest.newBuilder()
            .setQueue(queue)
            .setWorker(ME)
            .setMaxJobs(10)
            .setWait(Duration.getDefaultInstance())
            .build();
    List<DeliveredJob> jobs;
    while (!(jobs = worker.fetchJobs(fetch).getJobsList()).isEmpty()) {
      for (DeliveredJob job : jobs) {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(job.getData().toByteArray());
        System.out.println(queue + " " + job.getName() + " " + HexFormat.of().formatHex(sum));
        JobOutcome.Builder outcome = JobOutcome.newBuilder();
        if (job.getData().isValidUtf8()) {
          outcome.setComplete(CompleteOutcome.newBuilder().setReturnValue(job.getData()));
        } else {
          outcome.setFail(FailOutcome.newBuilder().setErrorName("Error").setMessage("not UTF-8"));
        }
        FinishJobRequest.Builder finish = FinishJobRequest.newBuilder().setLease(job.getLease());
        worker.finishJob(finish.setWorker(ME).setOutcome(outcome).build());
      }
    }
  }
}
