import { createHash } from 'node:crypto';
import {
  AddJobRequest,
  type AddJobResponse,
  FetchJobsRequest,
  type FetchJobsResponse,
  FinishJobRequest,
  type FinishJobResponse,
  JobOutcome,
} from '@echomq/proto/messages';
import { ProducerServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { credentials, type ServiceError } from '@grpc/grpc-js';

const WORKER = { workerId: 'payloads', sessionId: 'typescript', name: 'payloads' };

/** A unary call as a promise. */
function answer<T>(call: (done: (error: ServiceError | null, reply: T) => void) => unknown) {
  return new Promise<T>((resolve, reject) => {
    call((error, reply) => (error ? reject(error) : resolve(reply)));
  });
}

/** Adds a job for each payload; its name is the payload's. */
export async function writeAll(
  address: string,
  queues: readonly string[],
  payloads: Readonly<Record<string, Buffer>>,
): Promise<void> {
  const producer = new ProducerServiceClient(address, credentials.createInsecure());
  for (const queue of queues) {
    for (const [name, data] of Object.entries(payloads)) {
      const request = AddJobRequest.fromPartial({ queue, name, data });
      await answer<AddJobResponse>((done) => producer.addJob(request, done));
    }
  }
  producer.close();
}

/** Takes all jobs and brings their data back. @returns `QUEUE NAME SHA-256` of each */
export async function readAll(
  address: string,
  queues: readonly string[],
): Promise<readonly string[]> {
  const worker = new WorkerServiceClient(address, credentials.createInsecure());
  const said: string[] = [];
  for (const queue of queues) {
    const fetch = FetchJobsRequest.fromPartial({
      queue,
      worker: WORKER,
      maxJobs: 10,
      wait: { seconds: 0 },
    });
    for (;;) {
      const { jobs } = await answer<FetchJobsResponse>((done) => worker.fetchJobs(fetch, done));
      if (jobs.length === 0) break;
      for (const { name, data, lease } of jobs) {
        said.push(`${queue} ${name} ${createHash('sha256').update(data).digest('hex')}`);
        const valid = Buffer.from(data.toString('utf8')).equals(data);
        const kind = valid
          ? ({ $case: 'complete', value: { returnValue: data } } as const)
          : ({ $case: 'fail', value: { errorName: 'Error', message: 'not UTF-8' } } as const);
        const finish = FinishJobRequest.fromPartial({
          ...(lease ? { lease } : {}),
          worker: WORKER,
          outcome: JobOutcome.fromPartial({ kind }),
        });
        await answer<FinishJobResponse>((done) => worker.finishJob(finish, done));
      }
    }
  }
  worker.close();
  return said;
}
