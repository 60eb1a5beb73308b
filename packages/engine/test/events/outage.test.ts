import { describe, expect, it } from 'vitest';
import { useEngine } from '../use-engine.js';
import { opening, subscribe } from './subscriber.js';

const used = useEngine();

describe('Subscribe while the store is away', () => {
  it('goes on after it, and tells what may be missing', { timeout: 30_000 }, async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const subscriber = subscribe(used.engine.services.event, queue);
    await opening(subscriber);
    const lost = await used.redis.client.xadd(key, '*', 'event', 'waiting', 'jobId', '1');
    expect((await subscriber.events(1))[0]?.id).toBe(lost);
    const next = subscriber.next();
    // Without persistence: the stream begins anew.
    await used.redis.server.crash();
    await used.redis.server.restart();
    const first = await used.redis.client.xadd(key, '*', 'event', 'waiting', 'jobId', '2');
    expect(await next).toEqual({
      $case: 'gap',
      value: { lastSent: lost, firstKept: first },
    });
    expect((await subscriber.events(1))[0]?.jobId).toBe('2');
    const later = subscriber.events(1);
    await used.redis.client.xadd(key, '*', 'event', 'waiting', 'jobId', '3');
    expect((await later)[0]?.jobId).toBe('3');
    await subscriber.leave();
  });
});
