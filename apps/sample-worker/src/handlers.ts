import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ActiveJob, type Handler, UnrecoverableError } from '@echomq/sdk';

/** What a checksum job brings. */
export interface Checksum {
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
}

/** Reads the file at `data.path` piece by piece, so that its size does not matter, and stops when the job is lost. */
async function checksum(job: ActiveJob<{ path: string }>, signal: AbortSignal): Promise<Checksum> {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  for await (const chunk of createReadStream(job.data.path, { signal }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 0x0a) lines += 1;
  }
  return { bytes, lines, sha256: hash.digest('hex') };
}

/** Fails `data.failures` times before it succeeds; how often it is tried again, the producer has said. */
function flaky(job: ActiveJob<{ failures: number }>): { attempts: number } {
  if (job.attemptsMade < job.data.failures) {
    throw new Error(`failure ${job.attemptsMade + 1} of ${job.data.failures}`);
  }
  return { attempts: job.attemptsMade + 1 };
}

/** Takes `data.ms` and says how far it is. */
async function slow(job: ActiveJob<{ ms: number }>, signal: AbortSignal): Promise<{ ms: number }> {
  const step = job.data.ms / 10;
  for (let done = 1; done <= 10; done += 1) {
    await sleep(step, undefined, { signal });
    await job.updateProgress(done * 10);
  }
  return { ms: job.data.ms };
}

/** Fails for good, whatever attempts it has left. */
function doomed(): never {
  throw new UnrecoverableError('this job never succeeds');
}

/** One queue holds jobs of several names; the name says what is to be done. */
export const handler: Handler<unknown, unknown> = (job, { signal }) => {
  switch (job.name) {
    case 'checksum':
      return checksum(job as ActiveJob<{ path: string }>, signal);
    case 'flaky':
      return flaky(job as ActiveJob<{ failures: number }>);
    case 'slow':
      return slow(job as ActiveJob<{ ms: number }>, signal);
    case 'echo':
      return job.data; // What comes is what goes back, for whoever checks payloads.
    case 'doomed':
      return doomed();
    default:
      throw new UnrecoverableError(`no handler for "${job.name}"`);
  }
};
