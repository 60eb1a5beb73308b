import fc from 'fast-check';
import {
  type AddPlan,
  type MovePlan,
  OPS,
  type Op,
  type Plan,
  type WorldPlan,
} from '../../src/model/plan.js';

const add: fc.Arbitrary<AddPlan> = fc.record({
  custom: fc.nat(9),
  priority: fc.constantFrom(0, 0, 0, 0, 1, 2),
  delay: fc.constantFrom(0, 0, 0, 0, 1, 1_000, 30_000),
  lifo: fc.constantFrom(false, false, false, true),
  attempts: fc.nat(3),
  backoff: fc.constantFrom(0, 0, 500),
  keep: fc.nat(6),
  parent: fc.constantFrom(0, 0, 0, 1, 2, 3, 4),
  policy: fc.nat(4),
  dedup: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 6, 8, 9, 10, 11, 12, 12, 13),
});

const move: fc.Arbitrary<MovePlan> = fc.record({
  kind: fc.constantFrom('complete', 'complete', 'fail', 'fetch'),
  lease: fc.nat(5),
  next: fc.boolean(),
  buffered: fc.constantFrom(false, false, false, true),
  foreign: fc.constantFrom(false, false, false, false, false, true),
});

const op: fc.Arbitrary<Op> = fc.oneof(
  ...Object.entries(OPS).map(([name, weight]) => ({ arbitrary: fc.constant(name as Op), weight })),
);

const plan: fc.Arbitrary<Plan> = op.chain((name) =>
  fc.record({
    op: fc.constant(name),
    dt: fc.constantFrom(0, 0, 1, 50, 1_000, 20_000),
    lease: fc.constantFrom(0, 0, 0, 1, 2, 3, 5),
    job: fc.nat(8),
    shade: fc.nat(35),
    flag: fc.boolean(),
    reply: fc.constantFrom('comes', 'comes', 'comes', 'comes', 'comes', 'lost', 'again'),
    receipt: fc.boolean(),
    adds:
      name === 'addMany' || name === 'addBatch' || name === 'addTree'
        ? fc.array(add, { minLength: 2, maxLength: 4 })
        : fc.array(add, { minLength: name === 'add' ? 1 : 0, maxLength: name === 'add' ? 1 : 0 }),
    moves: fc.array(move, name === 'batch' ? { minLength: 1, maxLength: 6 } : { maxLength: 0 }),
  }),
);

const bounded: fc.Arbitrary<WorldPlan> = fc.record(
  {
    concurrency: fc.constantFrom(1, 2),
    max: fc.constantFrom(1, 3),
    maxJobs: fc.constantFrom(4, 8),
    uncounted: fc.constant(true),
  },
  { requiredKeys: [] },
);

/** Queues with each kind of bound, and as many with none, in which ordinary moves go the short way. */
export const worlds: fc.Arbitrary<WorldPlan> = fc.oneof(bounded, fc.constant({ uncounted: true }));

/** Commands of several clients. */
export const commands = (length: number): fc.Arbitrary<Plan[]> =>
  fc.array(plan, { minLength: 1, maxLength: length, size: 'max' });
