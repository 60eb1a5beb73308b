import { setTimeout as sleep } from 'node:timers/promises';
import { Overloaded } from '@echomq/sdk';
import { eventually, http2Proxy, storeFaults } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  PATIENCE_MS,
  refusalOf,
  scaled,
  useRig,
  workedOff,
} from '../../src/index.js';

const rig = useRig();

describe('a store that is full', () => {
  it('T092 store full: adds are refused, what is there is worked off, and adds are taken again by themselves', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const faults = storeFaults(rig.redis.client);
    const JOBS = scaled(60, 600);
    let runs = 0;
    const ids = await addMany(raw, queue.name, JOBS);
    await faults.fill();
    onTestFinished(() => faults.drain());
    const refused = await refusalOf(add(raw, queue.name, {}, 'x'.repeat(10_000)));
    expect([refused.status, refused.reason]).toEqual([
      'RESOURCE_EXHAUSTED',
      'BACKEND_OUT_OF_MEMORY',
    ]);
    for (let at = 0; at < 4; at += 1) {
      rig.worker(queue.name, async () => {
        runs += 1;
        await sleep(1);
      });
    }
    const completed = () => rig.redis.client.zcard(queue.key('completed'));
    await workedOff(completed, JOBS);
    expect((await refusalOf(add(raw, queue.name))).status).toBe('RESOURCE_EXHAUSTED');
    await faults.drain();
    ids.push(await eventually(() => add(raw, queue.name), PATIENCE_MS));
    await eventually(async () => {
      const state = await queue.read();
      expect(checkBooks(state, { accepted: ids, atRest: true })).toEqual([]);
    }, PATIENCE_MS);
    expect(runs).toBe(JOBS + 1);
  });

  it('T099 retrying the hopeless: what is too large fails at once, overload is tried again', async () => {
    const queue = rig.freshQueue();
    const faults = storeFaults(rig.redis.client);
    const proxy = await http2Proxy(Number(rig.gateways[0]?.address.split(':').at(-1)));
    onTestFinished(() => proxy.stop());
    const jobs = rig.queue<unknown>(
      queue.name,
      rig.connection({ address: `127.0.0.1:${proxy.port}` }),
    );
    const tries = () => proxy.count('/echomq.v1.ProducerService/AddJob');
    await jobs.add('x', {});
    const before = tries();
    for (const data of ['x'.repeat(1_048_575), 'x'.repeat(3_000_000), 'x'.repeat(6_000_000)]) {
      await expect(jobs.add('x', data)).rejects.toMatchObject({
        name: 'PayloadTooLarge',
        retryable: false,
        reason: 'PAYLOAD_TOO_LARGE',
      });
    }
    expect(tries() - before).toBeLessThanOrEqual(3);
    await faults.fill();
    onTestFinished(() => faults.drain());
    const full = tries();
    const error = await jobs.add('x', 'x'.repeat(100_000)).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Overloaded);
    expect(error).toMatchObject({ retryable: true, reason: 'BACKEND_OUT_OF_MEMORY' });
    expect(tries() - full).toBeGreaterThan(1);
    await faults.drain();
    await eventually(() => jobs.add('x', {}), PATIENCE_MS);
  });
});
