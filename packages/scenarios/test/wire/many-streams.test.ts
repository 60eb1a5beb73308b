import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import {
  add,
  addMany,
  PATIENCE_MS,
  RawClient,
  scaled,
  useRig,
  workedOff,
} from '../../src/index.js';

const rig = useRig();

describe('streams that share a gateway', () => {
  it('T110 push overload: a slow worker holds no more than it asked for, and others share the rest', async () => {
    const queue = rig.freshQueue();
    const JOBS = scaled(500, 100_000);
    const go = signal('the end of the slow handler');
    let slow = 0;
    const worker = rig.worker(
      queue.name,
      async () => {
        slow += 1;
        await go.wait(scaled(3, 39) * PATIENCE_MS);
      },
      { concurrency: 2 },
    );
    await worker.waitUntilReady();
    await addMany(rig.raw(), queue.name, JOBS);
    await eventually(() => expect(slow).toBe(2), PATIENCE_MS);
    await sleep(100);
    expect(await rig.redis.client.llen(queue.key('active'))).toBe(2);
    let quick = 0;
    rig.worker(
      queue.name,
      () => {
        quick += 1;
      },
      { concurrency: 20 },
    );
    await workedOff(() => quick, JOBS - 2);
    expect(slow).toBe(2);
    go.resolve();
    await eventually(
      async () => expect(await rig.redis.client.zcard(queue.key('completed'))).toBe(JOBS),
      PATIENCE_MS,
    );
  });

  it('T118 stream cap per connection: 150 workers on one connection all work', async () => {
    const queue = rig.freshQueue();
    const connection = rig.connection();
    const all = signal('150 handlers at once');
    let running = 0;
    const handler = async () => {
      running += 1;
      if (running === 150) all.resolve();
      await all.wait(PATIENCE_MS);
    };
    for (let at = 0; at < 150; at += 1) rig.worker(queue.name, handler, { connection });
    await addMany(rig.raw(), queue.name, 150);
    await all.wait(PATIENCE_MS);
    await eventually(
      async () => expect((await queue.read()).completed).toHaveLength(150),
      PATIENCE_MS,
    );
  });

  it('T117 ping policy: a client that pings all the time is served, one that idles by default is too, nobody is harmed', async () => {
    const queue = rig.freshQueue();
    const address = rig.gateways[0]?.address ?? '';
    const eager = new RawClient(address, {
      'grpc.keepalive_time_ms': scaled(50, 1_000),
      'grpc.keepalive_timeout_ms': 10_000,
      'grpc.keepalive_permit_without_calls': 1,
    });
    const ran: string[] = [];
    let lost = 0;
    const worker = rig.worker(queue.name, (job) => void ran.push(job.id));
    worker.on('disconnected', () => {
      lost += 1;
    });
    await worker.waitUntilReady();
    try {
      await eager.call('gateway', 'getServerInfo', {});
      const poll = eager.call(
        'worker',
        'fetchJobs',
        {
          ...{ queue: rig.freshQueue().name, maxJobs: 1 },
          wait: { seconds: scaled(2, 60), nanos: 0 },
        },
        { deadlineMs: 120_000 },
      );
      expect((await poll).jobs).toEqual([]);
      await sleep(scaled(500, 60_000));
      await eager.call('gateway', 'getServerInfo', {});
      const id = await add(eager, queue.name);
      await eventually(() => expect(ran).toEqual([id]), PATIENCE_MS);
      expect(lost).toBe(0);
    } finally {
      eager.close();
    }
  });
});
