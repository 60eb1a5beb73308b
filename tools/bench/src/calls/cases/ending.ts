import {
  type Finish,
  type FinishOptions,
  type Move,
  moveBatch,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  type Receipt,
} from '@echomq/core';
import { type CallCase, type Held, only, type Setting } from '../call-case.js';
import {
  DIGEST,
  firstToken,
  LOCK_MS,
  nextToken,
  REASON,
  RECEIPT_MS,
  RESULT,
  reportReceipt,
  reportSlot,
  STACK,
  sessionKey,
} from '../fixtures.js';

/** Backoffs are capped there, ms. */
const MAX_BACKOFF_MS = 86_400_000;
const DELAY_MS = 60_000;

const TERMS = { maxMetricsSize: 0, lockDuration: LOCK_MS } as const;

/** A completed run, with the next job. */
function completion(held: Held, receipt?: Receipt): Finish {
  const options: FinishOptions = { token: held.token, nextToken: nextToken(held), ...TERMS };
  return {
    jobId: held.jobId,
    target: 'completed',
    value: RESULT,
    fetchNext: true,
    options: receipt ? { ...options, receipt } : options,
  };
}

/** A failed run, without a next job. */
function failure({ jobId, token }: Held): Finish {
  const retry = { mode: 'DEFAULT', rand: 0.5, maxDelay: MAX_BACKOFF_MS } as const;
  const options: FinishOptions = { token, ...TERMS, stack: STACK, stackLimit: 10, retry };
  return { jobId, target: 'failed', value: REASON, fetchNext: false, options };
}

/** Keys and first arguments of an end. */
function ends({ keys, now }: Setting, { jobId, token }: Held) {
  return {
    keys: [
      keys.job(jobId),
      keys.lock(jobId),
      keys.dependencies(jobId),
      keys.failedChildren(jobId),
      keys.active,
      keys.stalled,
      keys.events,
      keys.meta,
      keys.wait,
    ],
    args: [keys.base, now, jobId, token],
  };
}

function finishNext(setting: Setting, held: Held) {
  const { keys, args } = ends(setting, held);
  const { completed, delayed, marker } = setting.keys;
  return {
    keys: [...keys, completed, delayed, marker],
    args: [...args, RESULT, nextToken(held), LOCK_MS],
  };
}

/** Ends the first run with a receipt, so that the measured one is one of many. */
async function endFirst({ store, keys, now }: Setting, held: readonly Held[], receipt: Receipt) {
  const first = only(held);
  await moveToFinished(store, keys, completion(first, receipt), now);
  return [{ jobId: String(Number(first.jobId) + 1), token: nextToken(first) }];
}

function batchMoves({ keys }: Setting, held: readonly Held[], call: number): Move[] {
  return held.map((one, at) => completion(one, reportSlot(keys, call, String(at))));
}

/** A batch of ends of runs that are held by a worker in the process. */
function batch(count: number): CallCase {
  return {
    id: `finish-batch-${count}`,
    title: `a batch of ${count} finishes with next jobs, embedded`,
    jobs: count,
    waiting: 3 * count,
    taken: count,
    prepare: async (setting, held) => {
      await moveBatch(setting.store, setting.keys, batchMoves(setting, held, 1), {
        now: setting.now,
      });
      return held.map((one) => ({
        jobId: String(Number(one.jobId) + count),
        token: nextToken(one),
      }));
    },
    run: (setting, held) =>
      moveBatch(setting.store, setting.keys, batchMoves(setting, held, 2), {
        now: setting.now,
      }),
    yardstick: ({ keys, now }, held) => ({
      file: 'finish-batch',
      keys: [
        ...[keys.active, keys.stalled, keys.events, keys.meta, keys.wait],
        ...[keys.completed, keys.delayed, keys.marker, sessionKey(keys)],
      ],
      args: [
        ...[keys.base, now, RESULT, LOCK_MS, '2'],
        ...held.flatMap((one) => [one.jobId, one.token, nextToken(one)]),
      ],
    }),
  };
}

/** Fetches, ends of runs, and what becomes of a job instead. */
export const ENDING: readonly CallCase[] = [
  {
    id: 'fetch',
    title: 'fetch, alone (`moveToActive`)',
    jobs: 1,
    waiting: 3,
    run: ({ store, keys, now }) =>
      moveToActive(store, keys, { token: firstToken(0), lockDuration: LOCK_MS }, now),
    yardstick: ({ keys, now }) => ({
      file: 'fetch',
      keys: [keys.wait, keys.active, keys.events, keys.meta, keys.delayed, keys.marker],
      args: [keys.base, now, firstToken(0), LOCK_MS],
    }),
  },
  {
    id: 'finish-next',
    title: 'lone finish with next job, no receipt',
    jobs: 1,
    waiting: 4,
    taken: 1,
    run: ({ store, keys, now }, held) => moveToFinished(store, keys, completion(only(held)), now),
    yardstick: (setting, held) => ({ file: 'finish-next', ...finishNext(setting, only(held)) }),
  },
  {
    id: 'finish-next-slot',
    title: 'lone finish with next job, embedded (receipt in a slot)',
    jobs: 1,
    waiting: 4,
    taken: 1,
    prepare: (setting, held) => endFirst(setting, held, reportSlot(setting.keys, 1)),
    run: ({ store, keys, now }, held) =>
      moveToFinished(store, keys, completion(only(held), reportSlot(keys, 2)), now),
    yardstick: (setting, held) => {
      const { keys, args } = finishNext(setting, only(held));
      return {
        file: 'finish-next-slot',
        keys: [...keys, sessionKey(setting.keys)],
        args: [...args, '0', '2'],
      };
    },
  },
  {
    id: 'finish-next-receipt',
    title: 'lone finish with next job, through a gateway (receipt of the report)',
    jobs: 1,
    waiting: 4,
    taken: 1,
    prepare: (setting, held) => endFirst(setting, held, reportReceipt(setting.keys, 1)),
    run: ({ store, keys, now }, held) =>
      moveToFinished(store, keys, completion(only(held), reportReceipt(keys, 2)), now),
    yardstick: (setting, held) => {
      const { keys, args } = finishNext(setting, only(held));
      return {
        file: 'finish-next-receipt',
        keys: [...keys, sessionKey(setting.keys)],
        args: [...args, '2', DIGEST, RECEIPT_MS, '1'],
      };
    },
  },
  {
    id: 'finish',
    title: 'lone finish, no next job asked for, no receipt',
    jobs: 1,
    waiting: 4,
    taken: 1,
    run: ({ store, keys, now }, held) => {
      const { options, ...rest } = completion(only(held));
      const { nextToken: _, ...alone } = options;
      return moveToFinished(store, keys, { ...rest, fetchNext: false, options: alone }, now);
    },
    yardstick: (setting, held) => {
      const { keys, args } = ends(setting, only(held));
      return { file: 'finish', keys: [...keys, setting.keys.completed], args: [...args, RESULT] };
    },
  },
  {
    id: 'finish-retries',
    title: 'finish that retries at once, no receipt',
    jobs: 1,
    waiting: 4,
    taken: 1,
    opts: '{"attempts":3}',
    run: ({ store, keys, now }, held) => moveToFinished(store, keys, failure(only(held)), now),
    yardstick: (setting, held) => {
      const { keys, args } = ends(setting, only(held));
      return {
        file: 'finish-retries',
        keys: [...keys, setting.keys.marker],
        args: [...args, REASON, STACK],
      };
    },
  },
  {
    id: 'finish-fails',
    title: 'finish that fails for good, no receipt',
    jobs: 1,
    waiting: 4,
    taken: 1,
    run: ({ store, keys, now }, held) => moveToFinished(store, keys, failure(only(held)), now),
    yardstick: (setting, held) => {
      const { keys, args } = ends(setting, only(held));
      return {
        file: 'finish-fails',
        keys: [...keys, setting.keys.failed],
        args: [...args, REASON, STACK],
      };
    },
  },
  {
    id: 'delay',
    title: '`moveToDelayed`, no receipt',
    jobs: 1,
    waiting: 4,
    taken: 1,
    run: ({ store, keys, now }, held) => {
      const { jobId, token } = only(held);
      const until = { delayMs: DELAY_MS };
      return moveToDelayed(store, keys, { jobId, token, until, skipAttempt: true }, now);
    },
    yardstick: (setting, held) => {
      const { keys, args } = ends(setting, only(held));
      const { delayed, marker } = setting.keys;
      return { file: 'delay', keys: [...keys, delayed, marker], args: [...args, DELAY_MS] };
    },
  },
  batch(10),
  batch(50),
];
