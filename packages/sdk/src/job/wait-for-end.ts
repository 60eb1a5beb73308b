import { setTimeout as sleep } from 'node:timers/promises';
import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { EchoMQError, jobFailed, waitTimedOut } from '../errors.js';
import { decodeJson } from '../payload/decode.js';
import { durationOf } from '../payload/numbers.js';
import { fullJitter } from '../transport/backoff.js';
import { cancelled } from '../transport/within-time.js';
import type { JobName } from './job-calls.js';

/** How long the end of a job is waited for. */
export interface WaitOptions {
  /** At most so many ms; absent: as long as it takes. 0 looks once. */
  readonly ttl?: number;
  /** Its abort ends the wait. */
  readonly signal?: AbortSignal;
}

/** One call waits so long, in ms; then comes the next. */
const STEP_MS = 30_000;
/** What a call may take over its wait, in ms. The server answers half a second before the deadline. */
const MARGIN_MS = 2_000;
/** An answer that comes so much too early is that of a server which leaves. */
const EARLY_MS = 1_000;

/**
 * Waits until a job has finished and gives its result. Servers and links may come and go meanwhile.
 *
 * @throws InvalidRequest naming `ttl`; JobFailed, JobNotFound, WaitTimedOut; an error of code CANCELLED
 */
export async function waitForEnd(
  connection: Connection,
  job: JobName,
  { ttl, signal }: WaitOptions,
): Promise<unknown> {
  if (ttl !== undefined) durationOf(ttl, 'ttl');
  const limit = performance.now() + (ttl ?? Number.POSITIVE_INFINITY);
  const leftMs = () => Math.max(0, limit - performance.now());
  for (let failures = 0; ; ) {
    const began = performance.now();
    const waitMs = Math.min(leftMs(), STEP_MS);
    const answer = await look(connection, job, { waitMs, signal });
    if (!(answer instanceof EchoMQError) && answer.finished) return resultOf(job, answer);
    if (leftMs() === 0) {
      throw waitTimedOut(job, ttl ?? 0, answer instanceof EchoMQError ? answer : undefined);
    }
    const early = performance.now() - began < waitMs - EARLY_MS;
    failures = early || answer instanceof EchoMQError ? failures + 1 : 0;
    if (failures > 0) await pause(Math.min(fullJitter(failures, 100, 5_000), leftMs()), signal);
  }
}

/** One look, as long as it may take; or the error of one that may go better next time. */
async function look(
  connection: Connection,
  job: JobName,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
): Promise<pb.WaitJobResponse | EchoMQError> {
  try {
    const request = { ...job, wait: pb.msToDuration(waitMs), includeResult: true };
    const options = { timeoutMs: waitMs + MARGIN_MS, signal };
    return await connection.call('producer', 'waitJob', request, options);
  } catch (error) {
    if (error instanceof EchoMQError) {
      if (error.retryable || error.code === 'DEADLINE_EXCEEDED') return error;
    }
    throw error;
  }
}

function resultOf(job: JobName, end: pb.WaitJobResponse): unknown {
  if (end.state === pb.JobState.FAILED) throw jobFailed(job, end.failedReason);
  return decodeJson(end.returnValue, 'returnvalue');
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    throw cancelled(cause);
  }
}
