import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type QueueFault, repairQueue } from './repairQueue.js';

const used = useStore();
const marker = [['0', 0]];

/** Mends twice: the second time nothing is wrong. */
async function mend(queue: TestQueue, fault: QueueFault) {
  const done = await repairQueue(used.store, queue.keys, fault, NOW);
  const after = await queue.read();
  expect(await repairQueue(used.store, queue.keys, fault, NOW)).toBe('');
  expect(await queue.read()).toEqual(after);
  return { done, after };
}

async function leaves(state: QueueState, fault: QueueFault) {
  const queue = used.queue();
  await queue.seed(state);
  const before = await queue.read();
  expect(await repairQueue(used.store, queue.keys, fault, NOW)).toBe('');
  expect(await queue.read()).toEqual(before);
}

describe('repairQueue', () => {
  it('wakes: sets a missing marker', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: {} } });
    const { done, after } = await mend(queue, { fault: 'marker' });
    expect(done).toBe('set the marker');
    expect(after).toEqual({ wait: ['1'], marker, 1: jobHash({}) });
    await leaves({ wait: ['1'], meta: { paused: '1' } }, { fault: 'marker' });
    await leaves({ wait: ['1'], active: ['2'] }, { fault: 'marker' });
    await leaves({ delayed: { 1: 4 } }, { fault: 'marker' });
  });

  it('moves: parked jobs run first, also of a queue that is not paused', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['3'], paused: ['2', '1'], jobs: { 1: {}, 2: {}, 3: {} } });
    const { done, after } = await mend(queue, { fault: 'parked' });
    expect(done).toBe('moved to wait');
    expect(after).toMatchObject({ wait: ['3', '2', '1'], marker });
    expect(after).not.toHaveProperty('paused');
  });

  it('removes keys of old versions, and no job of that name', async () => {
    const queue = used.queue();
    await queue.seed({ priority: ['1'], delay: ['2'] });
    expect((await mend(queue, { fault: 'legacy-key', subject: 'priority' })).done).toBe(
      'removed the key',
    );
    expect((await mend(queue, { fault: 'legacy-key', subject: 'delay' })).after).toEqual({});
    await leaves({ jobs: { delay: {} } }, { fault: 'legacy-key', subject: 'delay' });
    await leaves({ wait: ['1'] }, { fault: 'legacy-key', subject: 'wait' as 'delay' });
  });

  it("moves on a parent whose last child is gone, another one's, or has ended", async () => {
    const queue = used.queue();
    const key = (id: string) => queue.key(id);
    const parentKey = key('p');
    await queue.seed({
      meta: META,
      'waiting-children': { p: 1 },
      completed: { done: 5 },
      wait: ['theirs', 'ours'],
      'p:dependencies': [key('gone'), key('theirs'), key('done'), key('ours')],
      jobs: {
        p: {},
        theirs: { parentKey: key('q') },
        done: { parentKey, finishedOn: 5, returnvalue: '"r"' },
        ours: { parentKey },
      },
    });
    const of = (id: string) => mend(queue, { fault: 'parent', subject: 'p', other: key(id) });
    expect((await of('gone')).done).toBe('waits no longer for it');
    expect((await of('theirs')).done).toBe('waits no longer for it');
    expect((await of('done')).done).toBe('was told of its end');
    const { done, after } = await of('ours');
    expect(done).toBe('');
    expect(after).toMatchObject({
      'waiting-children': [['p', 1]],
      'p:dependencies': [key('ours')],
      'p:processed': { [key('done')]: '"r"' },
    });
    await used.redis.client.del(key('p:dependencies'));
    const released = await mend(queue, { fault: 'parent', subject: 'p' });
    expect(released.done).toBe('released');
    expect(released.after).toMatchObject({
      wait: ['theirs', 'ours', 'p'],
      events: [{ event: 'waiting', jobId: 'p', prev: 'waiting-children' }],
    });
    expect(released.after).not.toHaveProperty('waiting-children');
  });

  it('frees a deduplication id of a job that is gone, or adds what waited for it', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: META,
      'de:a': 'gone',
      'de:b': 'gone',
      'dn:b': { name: 'n', data: '{}', opts: '{}', jid: 'next' },
    });
    expect((await mend(queue, { fault: 'deduplication', subject: 'a' })).done).toBe('freed');
    const { done, after } = await mend(queue, { fault: 'deduplication', subject: 'b' });
    expect(done).toBe('added the job that waited for it');
    expect(after).toMatchObject({ 'de:b': 'next', wait: ['next'], next: { name: 'n' } });
    expect(after).not.toHaveProperty('dn:b');
    const held = { 'de:a': '1', wait: ['1'], jobs: { 1: {} } };
    await leaves(held, { fault: 'deduplication', subject: 'a' });
    const lapses = { 'de:a': 'gone', ttls: { 'de:a': 60_000 } };
    await leaves(lapses, { fault: 'deduplication', subject: 'a' });
  });

  it('removes a schedule without its record', async () => {
    const queue = used.queue();
    await queue.seed({ repeat: { s: NOW, t: NOW }, 'repeat:t': { name: 't' } });
    const { done, after } = await mend(queue, { fault: 'schedule', subject: 's' });
    expect(done).toBe('removed the schedule');
    expect(after).toEqual({ repeat: [['t', NOW]], 'repeat:t': { name: 't' } });
    await leaves({ repeat: { t: 1 }, 'repeat:t': { n: 't' } }, { fault: 'schedule', subject: 't' });
  });

  it('writes nothing where a key holds something else', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], prioritized: 'text' });
    const before = await queue.read();
    const call = repairQueue(used.store, queue.keys, { fault: 'marker' }, NOW);
    await expect(call).rejects.toMatchObject({ name: 'ContractBroken' });
    expect(await queue.read()).toEqual(before);
  });
});
