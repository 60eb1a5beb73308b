import * as pb from '@echomq/proto/messages';
import { WorkerServiceClient } from '@echomq/proto/services';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Payload } from '../contender.js';

/** A job that a unary call has brought. */
export interface Fetched {
  readonly lease: pb.JobLease | undefined;
  readonly data: Payload;
}

/** How long a fetch waits for a first job, ms. */
const WAIT_MS = 1_000;
const DEADLINE_MS = 30_000;
const NULL = Buffer.from('null');

/** A client of one connection. */
export function unaryClient(address: string): WorkerServiceClient {
  return new WorkerServiceClient(address, credentials.createInsecure());
}

/** Takes up to `maxJobs`. */
export async function fetchJobs(
  client: WorkerServiceClient,
  request: { queue: string; worker: Partial<pb.WorkerInfo>; maxJobs: number },
): Promise<Fetched[]> {
  const { queue, worker, maxJobs } = request;
  const asked = pb.FetchJobsRequest.fromPartial({
    queue,
    worker,
    maxJobs,
    wait: pb.msToDuration(WAIT_MS),
  });
  const { jobs } = await called<pb.FetchJobsResponse>((done) =>
    client.fetchJobs(asked, new Metadata(), deadline(), done),
  );
  return jobs.map(fetched);
}

/** Completes all of them and takes up to `maxJobs` in the same call. */
export async function finishJobs(
  client: WorkerServiceClient,
  request: { jobs: readonly Fetched[]; worker: Partial<pb.WorkerInfo>; maxJobs: number },
): Promise<Fetched[]> {
  const { jobs, worker, maxJobs } = request;
  const asked = pb.FinishJobsRequest.fromPartial({
    items: jobs.map(({ lease }) => ({
      ...(lease ? { lease } : {}),
      outcome: { kind: { $case: 'complete' as const, value: { returnValue: NULL } } },
    })),
    worker,
    ...(maxJobs > 0 ? { fetchNext: { maxJobs, maxResponseBytes: 0 } } : {}),
  });
  const { results, next } = await called<pb.FinishJobsResponse>((done) =>
    client.finishJobs(asked, new Metadata(), deadline(), done),
  );
  const refused = results.find(({ outcome }) => outcome?.$case !== 'result');
  if (refused) throw new Error(`a finish was refused: ${JSON.stringify(refused)}`);
  return next.map(fetched);
}

function fetched({ lease, data }: pb.DeliveredJob): Fetched {
  return { lease, data: JSON.parse(data.toString()) as Payload };
}

function deadline() {
  return { deadline: Date.now() + DEADLINE_MS };
}

function called<T>(
  call: (done: (error: ServiceError | null, answer: T) => void) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, answer) => (error ? reject(error) : resolve(answer)));
  });
}
