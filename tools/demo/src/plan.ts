import type { FoundFile } from './find-files.js';

/** Why a job is in the demo. */
export type Kind = 'file' | 'flaky' | 'delayed' | 'prioritized' | 'doomed';

/** A job to be added. */
export interface PlannedJob {
  readonly kind: Kind;
  /** The sample worker's handler. */
  readonly name: string;
  readonly data: object;
  readonly attempts?: number;
  /** First wait before another attempt, doubled each time, ms. */
  readonly backoffMs?: number;
  /** ms after it was added. */
  readonly delayMs?: number;
  /** 1 runs first. */
  readonly priority?: number;
  /** The file whose checksum is asked for. */
  readonly file?: FoundFile;
}

/** A job that has been added. */
export interface AddedJob extends PlannedJob {
  readonly id: string;
}

/** How many of each kind there are besides the files. */
export const AMOUNTS = { flaky: 200, delayed: 50, prioritized: 20, doomed: 5 } as const;

/** How often a flaky job fails before it succeeds. */
export const FLAKY_FAILURES = 2;

const FLAKY_ATTEMPTS = FLAKY_FAILURES + 1;
const FLAKY_BACKOFF_MS = 200;

/** The delayed jobs become due one after another over some seconds, so that a few run at any time, ms. */
const FIRST_DUE_MS = 300;
const DUE_STEP_MS = 120;

/** How long a slow job takes, ms: long enough to be held by a worker when that is killed. */
export const SLOW_MS = 1_000;

/** All jobs in the order in which they are added: what takes its time first, then the files. */
export function makePlan(files: readonly FoundFile[]): readonly PlannedJob[] {
  return [
    ...many('doomed', () => ({ name: 'doomed', data: {}, attempts: 1 })),
    ...many('flaky', () => ({
      name: 'flaky',
      data: { failures: FLAKY_FAILURES },
      attempts: FLAKY_ATTEMPTS,
      backoffMs: FLAKY_BACKOFF_MS,
    })),
    // Slow, so that the worker that is killed holds one that has surely begun.
    ...many('delayed', (i) => ({
      name: 'slow',
      data: { ms: SLOW_MS },
      delayMs: FIRST_DUE_MS + i * DUE_STEP_MS,
    })),
    ...files.map((file) => ({
      kind: 'file' as const,
      name: 'checksum',
      data: { path: file.path },
      file,
    })),
    // The last ones first: only their priority can bring them into order.
    ...many('prioritized', (i) => ({
      name: 'checksum',
      data: { path: files[i % files.length]?.path },
      priority: AMOUNTS.prioritized - i,
      ...fileOf(files[i % files.length]),
    })),
  ];
}

function many(
  kind: keyof typeof AMOUNTS,
  make: (i: number) => Omit<PlannedJob, 'kind'>,
): readonly PlannedJob[] {
  return Array.from({ length: AMOUNTS[kind] }, (_, i) => ({ kind, ...make(i) }));
}

function fileOf(file: FoundFile | undefined): { readonly file?: FoundFile } {
  return file === undefined ? {} : { file };
}
