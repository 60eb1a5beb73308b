import {
  type DeliveredJob,
  type FailOutcome,
  RetryMode,
  type WorkReport,
} from '@echomq/proto/messages';
import type { Fault } from './faults.js';
import { handle } from './handlers.js';
import type { Link } from './link.js';

/** A job in the worker's hands. */
export interface Run {
  readonly job: DeliveredJob;
  readonly token: string;
  readonly deliveredAt: number;
  controller: AbortController;
  state: 'buffered' | 'running' | 'reported' | 'lost';
}

/** How a run ends. */
export type Outcome = NonNullable<WorkReport['outcome']>;

/** The job goes back. */
export const RELEASE: Outcome = { kind: { $case: 'release', value: { toFront: true } } };

/** Has no bytes. */
export const NONE = Buffer.alloc(0);

type Has = (fault: Fault) => boolean;

/** A failure that leaves the retry to the server. */
export function failure(message: string, has: Has): Outcome {
  const retry = has('forbids-retries') ? RetryMode.NEVER : RetryMode.DEFAULT;
  const value: FailOutcome = {
    errorName: 'Error',
    message,
    stack: [],
    retry,
    retryDelay: undefined,
    details: NONE,
  };
  return { kind: { $case: 'fail', value } };
}

/** Runs a job to its end. Undefined: nobody is told how it ended. */
export async function runJob(
  { job, controller: { signal } }: Run,
  link: Link,
  has: Has,
): Promise<Outcome | undefined> {
  if (job.name === 'conformance-unknown' && has('drops-unknown-jobs')) return undefined;
  const { lease, name, attempt } = job;
  const progress = (value: unknown) => {
    const text = has('progress-as-text') ? `${value} %` : JSON.stringify(value);
    link.send({ $case: 'progress', value: { lease, progress: Buffer.from(text) } });
  };
  try {
    const data = await dataOf(job, link, has);
    const result = await handle({ name, data, attempt, signal, progress });
    const returnValue = Buffer.from(JSON.stringify(result));
    return { kind: { $case: 'complete', value: { returnValue } } };
  } catch (error) {
    if (error instanceof SyntaxError && has('dies-of-broken-data')) process.exit(5);
    return failure(`${error}`, has);
  }
}

async function dataOf(job: DeliveredJob, link: Link, has: Has): Promise<unknown> {
  const encoding = has('reads-latin-1') ? 'latin1' : 'utf8';
  if (!job.dataOmitted) return JSON.parse(job.data.toString(encoding));
  if (has('runs-without-data')) return {};
  if (has('fails-large-jobs')) throw new Error('too large for me');
  return JSON.parse((await link.read(job)).toString());
}
