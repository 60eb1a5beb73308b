import fc from 'fast-check';
import type { NewJob, QueueKeys } from '../src/index.js';
import { NOW } from './use-store.js';

/** A queue before the moves: how it is set up, and what is in it. */
export interface World {
  readonly meta: Readonly<Record<string, string>>;
  readonly jobs: readonly JobPlan[];
  readonly taken: number;
}

/** A job to add. `child`: of the parent that was added first, with this policy. */
export interface JobPlan {
  readonly opts: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly delay: number;
  readonly lifo: boolean;
  readonly deduplication: { readonly id: string; readonly keepLastIfActive: boolean } | undefined;
  readonly child: Readonly<Record<string, boolean>> | undefined;
}

/** The receipt of a move: told apart by its body; the first of its call; or in a slot, told apart by a number. */
export interface ReceiptPlan {
  readonly field: number;
  readonly how: 'told' | 'fresh' | 'slot';
}

/** A move as it is drawn: `held` says whose job, counted through what is held when its round begins. */
export interface MovePlan {
  readonly kind: 'complete' | 'fail' | 'fetch';
  readonly held: number;
  readonly lease: 'own' | 'foreign' | 'unknown job';
  readonly next: boolean;
  readonly receipt: ReceiptPlan | undefined;
  readonly more: Readonly<Record<string, unknown>>;
  readonly terms: Readonly<Record<string, unknown>>;
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Any of these members; often none, for what most queues and moves are. */
function orNothing<T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.oneof(
    fc.constant({}),
    fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>,
  );
}

const opts = fc.record(
  {
    attempts: fc.integer({ min: 1, max: 3 }),
    backoff: fc.constantFrom(
      { type: 'fixed', delay: 0 },
      { type: 'fixed', delay: 500 },
      'odd',
      700,
    ),
    removeOnComplete: fc.constantFrom(true, false, 1, { count: 2 }, { age: 10 }),
    removeOnFail: fc.constantFrom(true, 1),
    lifo: fc.constant(true),
  },
  { requiredKeys: [] },
);

const job: fc.Arbitrary<JobPlan> = fc.record({
  opts,
  priority: fc.constantFrom(0, 0, 0, 1, 5),
  delay: fc.constantFrom(0, 0, 0, 0, 1, 10_000),
  lifo: fc.boolean(),
  deduplication: optional(
    fc.record({ id: fc.constantFrom('a', 'b'), keepLastIfActive: fc.boolean() }),
  ),
  child: optional(
    fc.constantFrom({}, { fpof: true }, { cpof: true }, { idof: true }, { rdof: true }),
  ),
});

/** Worlds small enough to run empty, and with every gate. */
export const worlds: fc.Arbitrary<World> = fc.record({
  meta: orNothing({
    paused: fc.constant('1'),
    concurrency: fc.constantFrom('2', '50'),
    max: fc.constantFrom('3', '50'),
    duration: fc.constant('60000'),
    'opts.maxLenEvents': fc.constant('10000'),
  }),
  jobs: fc.array(job, { minLength: 1, maxLength: 14 }),
  taken: fc.integer({ min: 0, max: 8 }),
});

const move: fc.Arbitrary<MovePlan> = fc.record({
  kind: fc.constantFrom('complete', 'complete', 'fail', 'fetch'),
  held: fc.nat(20),
  lease: fc.constantFrom('own', 'own', 'own', 'own', 'foreign', 'unknown job'),
  next: fc.boolean(),
  receipt: optional(fc.record({ field: fc.nat(3), how: fc.constantFrom('told', 'fresh', 'slot') })),
  more: orNothing({
    progress: fc.constant('7'),
    logs: fc.constant(['one', 'two']),
    stack: fc.constant('at once'),
    keepJobs: fc.constantFrom({ count: 0 }, { count: 1 }, { age: 5 }),
  }),
  terms: orNothing({
    name: fc.constantFrom('w1', 'w2'),
    maxMetricsSize: fc.constantFrom(0, 10),
    buffered: fc.constant(true),
    limiter: fc.constant({ max: 4, duration: 60_000 }),
  }),
});

/** Rounds of moves; each round is one batch. */
export const rounds = fc.array(fc.array(move, { minLength: 1, maxLength: 9 }), {
  minLength: 1,
  maxLength: 4,
});

/** The job of a plan for a queue. */
export function newJob(plan: JobPlan, keys: QueueKeys, parentId: string | undefined): NewJob {
  const { priority, delay, lifo, deduplication, child } = plan;
  const parent = parentId !== undefined &&
    child && {
      key: keys.job(parentId),
      json: JSON.stringify({ id: parentId, queueKey: keys.base.slice(0, -1), ...child }),
    };
  return {
    name: 'j',
    data: '{"n":1}',
    opts: JSON.stringify(plan.opts),
    timestamp: NOW - 10,
    ...(delay > 0 ? { delay } : {}),
    ...(priority > 0 ? { priority } : {}),
    ...(lifo ? { lifo } : {}),
    ...(deduplication ? { deduplication } : {}),
    ...(parent ? { parent } : {}),
  };
}
