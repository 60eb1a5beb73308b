import { invalid } from '../errors.js';
import type { ActiveJob } from './active-job.js';
import type { BackoffStrategy } from './worker-options.js';

/** How a failure is to be tried again: `delayMs` absent: as the server says. */
export interface RetryWish {
  readonly final: boolean;
  readonly delayMs?: number;
}

/** What the server computes by itself. */
const KNOWN = new Set(['fixed', 'exponential']);

/**
 * Asks a worker's strategy about a failure whose backoff has a name of its own and attempts left. One that fails or
 * answers nonsense is told to `onProblem`, and the server decides.
 */
export async function retryWish<Data, Result>(
  strategy: BackoffStrategy<Data, Result> | undefined,
  job: ActiveJob<Data, Result>,
  thrown: unknown,
  onProblem: (problem: unknown) => void,
): Promise<RetryWish> {
  const undecided = { final: false };
  if (strategy === undefined) return undecided;
  try {
    const { attempts = 1, backoff } = job.opts;
    const type = typeof backoff === 'object' ? backoff.type : undefined;
    const made = job.attemptsMade + 1;
    if (type === undefined || KNOWN.has(type) || made >= attempts) return undecided;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
    const delayMs = await strategy(made, type, error, job);
    if (delayMs < 0) return { final: true };
    if (Number.isFinite(delayMs)) return { final: false, delayMs: Math.round(delayMs) };
    throw invalid('backoffStrategy', 'must answer with ms, or with less than 0 for no retry');
  } catch (problem) {
    onProblem(problem);
    return undecided;
  }
}
