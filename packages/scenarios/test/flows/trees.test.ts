import { describe, expect, it } from 'vitest';
import { checkBooks, complete, fail, finish, refusalOf, takeOne, useRig } from '../../src/index.js';
import { GONE, node, workOff } from './family.js';

const rig = useRig({ sweepMs: 'never' });

describe('trees whose ids exist', () => {
  it('T052 existing child id: a tree that is added again runs its parent again', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const tree = () =>
      node(queue.name, 'parent', { removeOnComplete: GONE }, [node(queue.name, 'child')]);
    await raw.call('producer', 'addFlow', { root: tree() });
    expect(await workOff(raw, queue.name, () => complete(1))).toEqual(['child', 'parent']);
    expect(await queue.read()).not.toHaveProperty('parent');
    await raw.call('producer', 'addFlow', { root: tree() });
    // The child has ended before: it counts as done and does not run again.
    expect(await workOff(raw, queue.name, () => complete(2))).toEqual(['parent']);
    const state = await queue.read();
    expect(state.child).toMatchObject({ returnvalue: '1' });
    expect(checkBooks(state, { accepted: ['child'], atRest: true })).toEqual([]);
  });

  it('T053 shared child: two parents of the same children both run, or the second is refused whole', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const children = () => [node(queue.name, 'a'), node(queue.name, 'b')];
    await raw.call('producer', 'addFlow', { root: node(queue.name, 'c', {}, children()) });
    const before = await queue.read();
    const second = await refusalOf(
      raw.call('producer', 'addFlow', { root: node(queue.name, 'd', {}, children()) }),
    );
    expect([second.status, second.reason]).toEqual([
      'FAILED_PRECONDITION',
      'PARENT_JOB_CANNOT_BE_REPLACED',
    ]);
    expect(await queue.read()).toEqual(before);
    await workOff(raw, queue.name, () => complete());
    // They are free for another only when the first parent is gone.
    expect(
      (
        await refusalOf(
          raw.call('producer', 'addFlow', { root: node(queue.name, 'd', {}, children()) }),
        )
      ).reason,
    ).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
    await raw.call('queue', 'removeJob', { queue: queue.name, jobId: 'c' });
    await raw.call('producer', 'addFlow', { root: node(queue.name, 'd', {}, children()) });
    expect(await workOff(raw, queue.name, () => complete())).toEqual(['d']);
    const accepted = ['a', 'b', 'd'];
    expect(checkBooks(await queue.read(), { accepted, atRest: true })).toEqual([]);
  });
});

it('T056 removing trees: a tree goes whole, or not at all while one of it is active', async () => {
  const queue = rig.freshQueue();
  const raw = rig.raw();
  const tree = node(queue.name, 'root', {}, [
    node(queue.name, 'mid-a', {}, [node(queue.name, 'leaf-a'), node(queue.name, 'leaf-b')]),
    node(queue.name, 'mid-b', {}, [node(queue.name, 'leaf-c')]),
  ]);
  await raw.call('producer', 'addFlow', { root: tree });
  const job = await takeOne(raw, queue.name);
  const remove = { queue: queue.name, jobId: 'root', removeChildren: true };
  const before = await queue.read();
  const refused = await refusalOf(raw.call('queue', 'removeJob', remove));
  expect([refused.status, refused.reason]).toEqual(['FAILED_PRECONDITION', 'JOB_LOCKED']);
  expect(await queue.read()).toEqual(before);
  await finish(raw, job, { $case: 'release', value: { toFront: true } });
  await raw.call('queue', 'removeJob', remove);
  const { events, meta, marker, id, 'stalled-check': _, ...left } = await queue.read();
  expect(left).toEqual({});
});

it('T057 parent retries: a parent that fails twice runs three times, its children once', async () => {
  const queue = rig.freshQueue();
  const raw = rig.raw();
  const children = ['a', 'b'].map((name) => node(queue.name, name));
  await raw.call('producer', 'addFlow', {
    root: node(queue.name, 'parent', { attempts: 3 }, children),
  });
  const ran = await workOff(raw, queue.name, ({ id, attempt }) =>
    id === 'parent' && attempt < 3 ? fail('not yet') : complete(attempt),
  );
  expect(ran).toEqual(['a', 'b', 'parent', 'parent', 'parent']);
  const state = await queue.read();
  expect(state.parent).toMatchObject({ atm: '3', returnvalue: '3' });
  expect(checkBooks(state, { accepted: ['parent', 'a', 'b'], atRest: true })).toEqual([]);
});
