import { eventually } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  fail,
  finish,
  LOCK_MS,
  PATIENCE_MS,
  span,
  take,
  takeOne,
  useRig,
} from '../../src/index.js';
import { GONE, node, POLICIES, workOff } from './family.js';

const rig = useRig();

/** What becomes of a parent one of whose children fails, by the child's policy. */
const FATES = [
  ['failParent', 'failed'],
  ['continueParent', 'completed'],
  ['ignore', 'completed'],
  ['remove', 'completed'],
] as const;

/** The end that a job came to. */
async function endOf(queue: ReturnType<typeof rig.freshQueue>, id: string): Promise<string> {
  const state = await queue.read();
  const at = ['completed', 'failed'].filter((name) =>
    ((state[name] ?? []) as [string, number][]).some(([held]) => held === id),
  );
  return at.join() || 'open';
}

describe('children that fail', () => {
  it.each(FATES)(
    'T050 parent never released: a child that is removed as it fails, %s: %s',
    async (policy, fate) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const bad = { parentFailurePolicy: POLICIES[policy], removeOnFail: GONE };
      const children = [
        node(queue.name, 'bad', bad),
        node(queue.name, 'good', { removeOnComplete: GONE }),
      ];
      await raw.call('producer', 'addFlow', { root: node(queue.name, 'parent', {}, children) });
      await workOff(raw, queue.name, ({ id }) => (id === 'bad' ? fail('no') : complete(id)));
      expect(await endOf(queue, 'parent')).toBe(fate);
      const accepted = ['parent', 'bad', 'good'];
      const removed = ['bad', 'good'];
      expect(checkBooks(await queue.read(), { accepted, removed, atRest: true })).toEqual([]);
    },
  );

  it('T050 parent never released: without a policy a failed child that is removed is waited for no longer', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const children = [node(queue.name, 'bad', { removeOnFail: GONE }), node(queue.name, 'good')];
    await raw.call('producer', 'addFlow', { root: node(queue.name, 'parent', {}, children) });
    await workOff(raw, queue.name, ({ id }) => (id === 'bad' ? fail('no') : complete(id)));
    expect(checkBooks(await queue.read())).toEqual([]);
    expect(await endOf(queue, 'parent')).toBe('completed');
  });

  it.each(FATES)(
    'T051 parent never released: all of three children that a handler added fail, %s: %s',
    async (policy, fate) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      await add(raw, queue.name, { jobId: 'parent' });
      const parent = await takeOne(raw, queue.name);
      for (const jobId of ['a', 'b', 'c']) {
        await raw.call('producer', 'addJob', {
          queue: queue.name,
          name: 'child',
          data: Buffer.from('{}'),
          options: { jobId, parentFailurePolicy: POLICIES[policy] },
          parent: { queue: queue.name, jobId: 'parent' },
        });
      }
      await finish(raw, parent, { $case: 'awaitChildren', value: {} });
      await workOff(raw, queue.name, ({ id }) => (id === 'parent' ? complete() : fail('no')));
      expect(await endOf(queue, 'parent')).toBe(fate);
      const accepted = ['parent', 'a', 'b', 'c'];
      expect(checkBooks(await queue.read(), { accepted, atRest: true })).toEqual([]);
    },
  );

  it('T054 fail-parent + auto-remove: the other child ends in peace, nothing dangles, events tell of the parent', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const options = { removeOnFail: GONE, removeOnComplete: GONE };
    const children = [
      node(queue.name, 'a', { ...options, parentFailurePolicy: POLICIES.failParent }),
      node(queue.name, 'b', options),
    ];
    await raw.call('producer', 'addFlow', { root: node(queue.name, 'parent', options, children) });
    const held = [await takeOne(raw, queue.name), await takeOne(raw, queue.name)];
    const of = (id: string) => held.find(({ lease }) => lease.jobId === id) as (typeof held)[0];
    await finish(raw, of('a'), fail('no'));
    await workOff(raw, queue.name, () => complete());
    await finish(raw, of('b'), complete());
    await workOff(raw, queue.name, () => complete());
    const { events, meta, marker, id, 'stalled-check': _, ...left } = await queue.read();
    expect(left).toEqual({});
    const told = (events as Record<string, string>[])
      .filter(({ event }) => event === 'failed' || event === 'completed')
      .map(({ event, jobId }) => `${jobId} ${event}`);
    expect(told.sort()).toEqual(['a failed', 'b completed', 'parent failed']);
  });

  it.each([
    ['failParent', 'failed'],
    ['ignore', 'completed'],
  ] as const)(
    'T055 stall-failed child: its parent follows the policy too, %s: %s',
    async (policy, fate) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const children = [node(queue.name, 'child', { parentFailurePolicy: POLICIES[policy] })];
      await raw.call('producer', 'addFlow', { root: node(queue.name, 'parent', {}, children) });
      const options = { lockDuration: span(LOCK_MS), wait: span(20_000) };
      for (let deaths = 0; deaths < 2; deaths += 1) {
        expect((await takeOne(raw, queue.name, options)).lease.jobId).toBe('child');
      }
      await eventually(async () => expect(await endOf(queue, 'child')).toBe('failed'), PATIENCE_MS);
      await workOff(raw, queue.name, () => complete());
      expect(await endOf(queue, 'parent')).toBe(fate);
      expect(checkBooks(await queue.read(), { accepted: ['parent', 'child'] })).toEqual([]);
      expect(await take(raw, queue.name)).toEqual([]);
    },
  );
});
