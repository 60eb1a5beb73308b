import * as pb from '@echomq/proto/messages';
import type { Part, RawClient } from './raw-client.js';

/** How a run ends. */
export type Ending = NonNullable<pb.JobOutcome['kind']>;

/** Success with a result. */
export const complete = (result: unknown = null): Ending => ({
  $case: 'complete',
  value: { returnValue: Buffer.from(JSON.stringify(result)) },
});

/** A failed attempt; `final` spends the attempts that are left. */
export const fail = (message: string, { final = false } = {}): Ending => ({
  $case: 'fail',
  value: pb.FailOutcome.fromPartial({
    message,
    retry: final ? pb.RetryMode.NEVER : pb.RetryMode.DEFAULT,
  }),
});

/** A span of ms. */
export const span = (ms: number): pb.Duration => pb.msToDuration(ms);

/** Adds a job. @returns its id */
export async function add(
  raw: RawClient,
  queue: string,
  options: Part<pb.JobOptions> = {},
  data: unknown = {},
): Promise<string> {
  const { jobId } = await raw.call('producer', 'addJob', {
    queue,
    name: 'job',
    data: Buffer.from(JSON.stringify(data)),
    options,
  });
  return jobId;
}

/** Adds so many jobs in one step. @returns their ids */
export async function addMany(raw: RawClient, queue: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 1_000) {
    const items = Array.from({ length: Math.min(left, 1_000) }, () => ({
      name: 'job',
      data: Buffer.from('{}'),
    }));
    const { results } = await raw.call('producer', 'addJobs', { queue, items });
    for (const { result } of results) if (result?.$case === 'added') ids.push(result.value.jobId);
  }
  return ids;
}

/** Takes jobs, without waiting unless told to, under locks of 30 s unless told otherwise. */
export async function take(
  raw: RawClient,
  queue: string,
  more: Part<pb.FetchJobsRequest> = {},
): Promise<pb.DeliveredJob[]> {
  const { jobs } = await raw.call('worker', 'fetchJobs', {
    queue,
    maxJobs: 1,
    wait: span(0),
    lockDuration: span(30_000),
    ...more,
  });
  return jobs;
}

/** Takes one job, waiting up to 10 s. @throws Error when there is none */
export async function takeOne(
  raw: RawClient,
  queue: string,
  more: Part<pb.FetchJobsRequest> = {},
): Promise<pb.DeliveredJob & { readonly lease: pb.JobLease }> {
  const [job] = await take(raw, queue, { wait: span(10_000), ...more });
  if (job?.lease === undefined) throw new Error(`no job came from ${queue}`);
  return { ...job, lease: job.lease };
}

/** Ends a hold. */
export function finish(
  raw: RawClient,
  job: { readonly lease: pb.JobLease | undefined },
  outcome: Ending,
  more: Part<pb.FinishJobRequest> = {},
): Promise<pb.FinishJobResponse> {
  return raw.call('worker', 'finishJob', {
    ...(job.lease ? { lease: job.lease } : {}),
    outcome: { kind: outcome },
    ...more,
  });
}
