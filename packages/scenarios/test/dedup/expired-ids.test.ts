import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddMode, AddOutcome, type JobOptions, JobState } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import {
  complete,
  fail,
  finish,
  idsIn,
  type Part,
  type RawClient,
  span,
  takeOne,
  useRig,
} from '../../src/index.js';
import { node, workOff } from '../flows/family.js';

const rig = useRig();
const AGE_MS = 1_000;
const keep = { rule: { $case: 'keep' as const, value: { age: span(AGE_MS) } } };
const KEPT = { removeOnComplete: keep, removeOnFail: keep };

const addAs = (options: Part<JobOptions>) => async (raw: RawClient, queue: string) => {
  const all = { jobId: 'own', ...KEPT, ...options };
  return (await raw.call('producer', 'addJob', { queue, name: 'x', options: all })).outcome;
};
const addInBatch = (mode: AddMode) => async (raw: RawClient, queue: string) => {
  const items = [{ name: 'x', options: { jobId: 'own', ...KEPT } }];
  const { results } = await raw.call('producer', 'addJobs', { queue, items, mode });
  const [first] = results.map(({ result }) => result);
  return first?.$case === 'added' ? first.value.outcome : undefined;
};
const addAsChild = async (raw: RawClient, queue: string) => {
  const root = node(queue, randomUUID(), {}, [node(queue, 'own', KEPT)]);
  const { root: added } = await raw.call('producer', 'addFlow', { root });
  // A flow says where its jobs are: one that stood there already has ended.
  const isNew = added?.children[0]?.state === JobState.WAITING;
  return isNew ? AddOutcome.CREATED : AddOutcome.EXISTING;
};

const WAYS = [
  ['as a plain job', addAs({})],
  ['with a delay', addAs({ due: { $case: 'delay', value: span(1) } })],
  ['with a priority', addAs({ priority: 3 })],
  ['in a batch, each for itself', addInBatch(AddMode.PER_ITEM)],
  ['in a batch, all or none', addInBatch(AddMode.ATOMIC)],
  ['as a child of a flow', addAsChild],
] as const;

describe('an id whose job has ended', () => {
  it.each(WAYS)(
    'T066 expired record blocks id: past the age for which its job is kept it is free, added %s',
    async (_name, addAgain) => {
      const raw = rig.raw();
      for (const end of [complete('first'), fail('first', { final: true })]) {
        const queue = rig.freshQueue();
        expect(await addAgain(raw, queue.name)).toBe(AddOutcome.CREATED);
        await finish(raw, await takeOne(raw, queue.name), end);
        expect(await addAs({})(raw, queue.name)).toBe(AddOutcome.EXISTING);
        await sleep(AGE_MS + 20);
        expect(await addAgain(raw, queue.name)).toBe(AddOutcome.CREATED);
        expect(await workOff(raw, queue.name, () => complete('second'))).toContain('own');
        const state = await queue.read();
        expect([idsIn(state, 'failed'), state.own]).toMatchObject([
          [],
          { returnvalue: '"second"' },
        ]);
      }
    },
  );

  it('T066 expired record blocks id: one that is kept without an age, or is not past it, stands in the way', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const hour = { rule: { $case: 'keep' as const, value: { age: span(3_600_000) } } };
    for (const [jobId, options] of [
      ['by count', { removeOnComplete: { rule: { $case: 'keep' as const, value: { count: 5 } } } }],
      ['for an hour', { removeOnComplete: hour, removeOnFail: keep }],
      ['for ever', {}],
    ] as const) {
      const again = () =>
        raw.call('producer', 'addJob', {
          queue: queue.name,
          name: 'x',
          options: { ...options, jobId },
        });
      await again();
      await finish(raw, await takeOne(raw, queue.name), complete());
      await sleep(AGE_MS + 20);
      expect((await again()).outcome).toBe(AddOutcome.EXISTING);
    }
  });
});
