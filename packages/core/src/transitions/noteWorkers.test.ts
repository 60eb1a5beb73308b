import { describe, expect, it } from 'vitest';
import { NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type NotedWorker, noteWorkers } from './noteWorkers.js';

const used = useStore();
const TTL = 30_000;
const note = (queue: TestQueue, sessions: readonly NotedWorker[], now: number | '' = NOW) =>
  noteWorkers(used.store, queue.keys, sessions, { ttlMs: TTL, now });
const worker = (session: string, more: Partial<NotedWorker> = {}): NotedWorker => ({
  session,
  about: '{"n":1}',
  state: '{}',
  heardMsAgo: 40,
  ...more,
});
const entry = (startedAt: number, more: Record<string, string> = {}) => ({
  format: '1',
  about: '{"n":1}',
  state: '{}',
  startedAt: `${startedAt}`,
  heardAt: `${startedAt - 40}`,
  ...more,
});
const members = (queue: TestQueue) =>
  used.redis.client.zrange(queue.keys.workers, '0', '-1', 'WITHSCORES');

describe('noteWorkers', () => {
  it('moves nothing, and notes each session for a while', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: {} } });
    const before = await queue.read();
    expect(await note(queue, [worker('a'), worker('b', { state: '{"held":[]}' })])).toBe(2);
    const { 'meta:workers:index': _, ...after } = await queue.read();
    expect(after).toEqual({
      ...before,
      'meta:workers:a': entry(NOW),
      'meta:workers:b': entry(NOW, { state: '{"held":[]}' }),
    });
    expect(await members(queue)).toEqual(['a', `${NOW}`, 'b', `${NOW}`]);
    const ttls = await queue.readTtls();
    for (const key of ['meta:workers:a', 'meta:workers:b', 'meta:workers:index']) {
      expect(ttls[key]).toBeGreaterThan(TTL - 5_000);
      expect(ttls[key]).toBeLessThanOrEqual(TTL);
    }
  });

  it('keeps when a session began, and forgets those that were silent too long', async () => {
    const queue = used.queue();
    await note(queue, [worker('a'), worker('b')]);
    expect(await note(queue, [worker('a')], NOW + TTL - 1)).toBe(2);
    expect(await note(queue, [worker('a', { heardMsAgo: 0 })], NOW + TTL)).toBe(1);
    const heardAt = `${NOW + TTL}`;
    expect(await queue.read()).toMatchObject({ 'meta:workers:a': entry(NOW, { heardAt }) });
    expect(await members(queue)).toEqual(['a', heardAt]);
  });

  it("goes by the store's clock", async () => {
    const queue = used.queue();
    await note(queue, [worker('a', { heardMsAgo: 0 })], '');
    const [, at] = await members(queue);
    expect(Math.abs(Number(at) - Date.now())).toBeLessThan(60_000);
  });

  it('rejects nothing, wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await note(queue, [worker('a')]);
    expect(await note(queue, [])).toBe(1);
    const dump = await queue.read();
    for (const key of ['marker', 'events']) expect(dump).not.toHaveProperty(key);
  });
});
