import { signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { InvalidRequest } from '../src/index.js';
import { next, overBoth } from './places.js';

overBoth('deduplication', (place) => {
  it('keeps a second job out until the first has finished', async () => {
    const queue = place.queue<number>();
    const opts = { deduplication: { id: 'simple' } };
    const first = await queue.add('x', 1, opts);
    const second = await queue.add('x', 2, opts);
    expect([first.outcome, second.outcome, second.id]).toEqual([
      ...['created', 'deduplicated', first.id],
    ]);
    expect(second.existingId).toBe(first.id);
    place.worker(queue, () => 1);
    await first.waitUntilFinished(undefined, 10_000);
    expect((await queue.add('x', 3, opts)).outcome).toBe('created');
  });

  it('keeps it out for a while, whatever becomes of the first, and longer with each one', async () => {
    const queue = place.queue<number>();
    const ttlOf = async (id: string) => place.redis.client.pttl(`bull:${queue.name}:de:${id}`);
    const short = { deduplication: { id: 'throttle', ttl: 60_000 } };
    const { id } = await queue.add('x', 1, short);
    place.worker(queue, () => 1);
    await queue.waitForJob(id, { ttl: 10_000 });
    expect(await queue.add('x', 2, short)).toMatchObject({ outcome: 'deduplicated', id });
    const left = await ttlOf('throttle');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    const longer = { deduplication: { id: 'throttle', ttl: 600_000, extend: true } };
    expect((await queue.add('x', 3, longer)).outcome).toBe('deduplicated');
    expect(await ttlOf('throttle')).toBeGreaterThan(60_000);
  });

  it('replaces the first while that is delayed, as a debounce does', async () => {
    const queue = place.queue<number>();
    const opts = {
      delay: 60_000,
      deduplication: { id: 'debounce', ttl: 60_000, extend: true, replace: true },
    };
    const first = await queue.add('x', 1, opts);
    const second = await queue.add('x', 2, opts);
    expect([second.outcome, second.existingId]).toEqual(['replaced', first.id]);
    expect((await queue.getDelayed()).map(({ data }) => data)).toEqual([2]);
    expect(await queue.getJob(first.id)).toBeUndefined();
  });

  it('moves the first while that is delayed', async () => {
    const queue = place.queue<number>();
    const deduplication = { id: 'later', reschedule: true };
    const first = await queue.add('x', 1, { delay: 60_000, deduplication });
    const second = await queue.add('x', 2, { delay: 3_600_000, deduplication });
    expect([second.outcome, second.id]).toEqual(['deduplicated', first.id]);
    const [job] = await queue.getDelayed();
    expect([job?.data, job?.delay, job?.opts.deduplication]).toEqual([1, 3_600_000, deduplication]);
  });

  it('keeps the last one while the first is at work, and runs it next', async () => {
    const queue = place.queue<number, number>();
    const opts = { deduplication: { id: 'last', keepLastIfActive: true } };
    const go = signal('the handler may end');
    const worker = place.worker(queue, async (job) => {
      if (job.data === 1) await go.wait(15_000);
      return job.data;
    });
    const active = next(worker, 'active');
    await queue.add('x', 1, opts);
    await active;
    expect((await queue.add('x', 2, opts)).outcome).toBe('queued-as-next');
    expect((await queue.add('x', 3, opts)).outcome).toBe('queued-as-next');
    const first = next(worker, 'completed');
    go.resolve();
    expect((await first)[1]).toBe(1);
    expect((await next(worker, 'completed'))[1]).toBe(3);
    expect(await queue.getCompletedCount()).toBe(2);
  });

  it.each(['a:b', 'ä€𝄞', ' ', '\n\u0000', '{}', '*?[x]'])(
    'takes the id %j as it is',
    async (id) => {
      const queue = place.queue();
      const added = await queue.add('x', {}, { deduplication: { id } });
      expect((await queue.getJob(added.id))?.deduplicationId).toBe(id);
      expect(await queue.add('x', {}, { deduplication: { id } })).toMatchObject({
        outcome: 'deduplicated',
        id: added.id,
      });
      expect(await queue.removeDeduplicationKey(id)).toBe(true);
    },
  );

  it.each([
    ['an empty id', 'id', { id: '' }],
    ['an id of odd bytes', 'id', { id: 'a\ud800' }],
    ['an id that is no text', 'id', { id: 7 as never }],
    ['an id that is too long', 'id', { id: 'x'.repeat(1_025) }],
    ['a negative ttl', 'ttl', { id: 'a', ttl: -1 }],
    ['a ttl of nothing', 'ttl', { id: 'a', ttl: 0 }],
    ['an unknown mode', 'postpone', { id: 'a', postpone: true } as { id: string }],
  ])('refuses %s by name, and writes nothing', async (_what, member, deduplication) => {
    const queue = place.queue();
    const error = await queue.add('x', {}, { deduplication }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect((error as InvalidRequest).field).toMatch(new RegExp(`^(opts|options).*\\.${member}$`));
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });
});
