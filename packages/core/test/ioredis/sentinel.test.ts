import { eventually, freshQueue, startSentinel, useStarted } from '@echomq/testkit';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { addStandardJob, getCounts } from '../../src/index.js';
import { connectRedis, fromIoredis } from '../../src/ioredis/index.js';
import { callEveryBinding, EVERY_SCRIPT } from '../every-binding.js';
import { NOW, ready, testQueue } from '../use-store.js';

const group = useStarted(() => startSentinel());
const JOB = { name: 'send', data: '1', opts: '{}', timestamp: NOW };

describe('connectRedis by redis+sentinel://', () => {
  it('finds the primary, and the next one after a failover, scripts and all', {
    timeout: 60_000,
  }, async () => {
    const { sentinel, name, primary, replica } = group.value;
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}/${name}`;
    await using connected = await ready(connectRedis({ url }));
    const { store } = connected;
    const admin = group.value.connect();
    const queue = testQueue(freshQueue(admin));
    expect(await callEveryBinding(store, queue.keys)).toEqual(EVERY_SCRIPT);
    expect(String(await store.command('CONFIG', ['GET', 'port']))).toContain(`${primary.port}`);
    const before = await getCounts(store, queue.keys);
    await admin.wait(1, 5_000);

    await group.value.failover();

    // Until the client has left the old primary, calls may fail; none is lost without a word.
    let added = 0;
    await eventually(async () => {
      const { jobId } = await addStandardJob(store, queue.keys, JOB);
      added = Number(jobId);
      expect(String(await store.command('CONFIG', ['GET', 'port']))).toContain(`${replica.port}`);
    }, 15_000);
    expect(added).toBeGreaterThan(0);
    const { waiting } = await getCounts(store, queue.keys);
    expect(waiting).toBeGreaterThan(before.waiting);
    admin.disconnect();
  });

  it('takes a client of yours that asks the sentinel', async () => {
    const { sentinel, name } = group.value;
    const theirs = new Redis({
      sentinels: [{ host: '127.0.0.1', port: sentinel.port ?? 0 }],
      name,
      lazyConnect: true,
    });
    await using connected = await ready(fromIoredis(theirs));
    expect(String(await connected.store.command('PING', []))).toBe('PONG');
    theirs.disconnect();
  });
});
