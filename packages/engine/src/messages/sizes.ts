import type { DeliveredJob, Job, JobOptions } from '@echomq/proto/messages';
import { cutText } from './cut-text.js';
import { withoutBodies } from './job.js';

/** Room for a job's numbers, times, tags and framing in a message, generous. */
const OVERHEAD = 512;

/** Bytes that a delivered job takes in a message, never too few for what its producer chose. */
export function deliveredSize(job: DeliveredJob): number {
  return (
    OVERHEAD +
    job.data.length +
    job.lastProgress.length +
    textSize(job.name) +
    textSize(job.lease?.jobId ?? '') +
    // Headers stand in the job and in its options.
    2 * headersSize(job.headers) +
    optionsSize(job.options)
  );
}

/** The same job without its payload, which the worker reads apart. */
export function withoutData(job: DeliveredJob): DeliveredJob {
  return { ...job, data: Buffer.alloc(0), dataOmitted: true };
}

/** Bytes that a job of the admin view takes in a message. */
export function jobSize(job: Job): number {
  const stacks = job.stackTrace.reduce((sum, stack) => sum + textSize(stack) + 8, 0);
  const texts = textSize(job.name) + textSize(job.jobId) + textSize(job.failedReason);
  const bodies = job.data.length + job.returnValue.length + job.progress.length;
  const options = 2 * headersSize(job.headers) + optionsSize(job.options);
  return OVERHEAD + bodies + stacks + texts + options;
}

/** Bytes that stay of a text which is too large to be shown. */
const SHOWN_BYTES = 1_024;

/** A job cut to `budget` bytes: whole, else without its payload, its bodies, in the end with its texts cut. */
export function fitted(job: Job, budget: number): Job {
  if (jobSize(job) <= budget) return job;
  const lighter = { ...job, data: Buffer.alloc(0), dataOmitted: true };
  if (jobSize(lighter) <= budget) return lighter;
  const bare = withoutBodies(job);
  return jobSize(bare) <= budget ? bare : withTextsCut(bare);
}

/** What no producer of ours can have written: it can still be seen and removed. */
function withTextsCut(job: Job): Job {
  return {
    ...job,
    name: cutText(job.name, SHOWN_BYTES),
    failedReason: cutText(job.failedReason, SHOWN_BYTES),
    options: undefined,
    headers: {},
  };
}

function optionsSize(options: JobOptions | undefined): number {
  return (options?.extraOptsJson.length ?? 0) + textSize(options?.jobId ?? '');
}

function headersSize(headers: JobOptions['headers']): number {
  let size = 0;
  for (const [name, value] of Object.entries(headers)) size += textSize(name) + textSize(value) + 8;
  return size;
}

function textSize(text: string): number {
  return Buffer.byteLength(text);
}
