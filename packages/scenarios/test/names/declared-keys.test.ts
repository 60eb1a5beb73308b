import type { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { add, complete, fail, finish, takeOne, useRig } from '../../src/index.js';
import { node, workOff } from '../flows/family.js';

const rig = useRig();

/** The keys that commands inside scripts name, and those of the scripts' own calls; gathered to the end of the test. */
async function watchKeys(client: Redis) {
  const monitor = await client.monitor();
  const keys = new Set<string>();
  monitor.on('monitor', (_time: string, args: readonly string[], source: string) => {
    const [command = '', first] = args;
    if (source !== 'lua' || first === undefined) return;
    if (/^(time|publish)$/i.test(command)) return;
    keys.add(first);
  });
  monitor.on('error', () => {});
  onTestFinished(() => monitor.disconnect());
  return keys;
}

it('T044 undeclared keys: no script touches a key outside its queue and its parent’s', async () => {
  const [queue, other] = [rig.freshQueue(), rig.freshQueue()];
  const raw = rig.raw();
  const keys = await watchKeys(rig.redis.client);
  const deduplication = { id: 'd' };
  await add(raw, queue.name, { deduplication });
  await add(raw, queue.name, { deduplication });
  await add(raw, queue.name, { priority: 3, attempts: 2 });
  await add(raw, queue.name, { due: { $case: 'delay', value: { seconds: 0, nanos: 1_000_000 } } });
  await workOff(raw, queue.name, ({ attempt }) => (attempt === 1 ? fail('once') : complete()));
  const root = node(queue.name, 'root', {}, [node(other.name, 'child')]);
  await raw.call('producer', 'addFlow', { root });
  await finish(raw, await takeOne(raw, other.name), complete());
  await finish(raw, await takeOne(raw, queue.name, { maxJobs: 1 }), complete());
  await raw.call('scheduler', 'upsertScheduler', {
    queue: queue.name,
    schedulerId: 's',
    schedule: { repeat: { $case: 'every', value: { seconds: 60, nanos: 0 } } },
  });
  await raw.call('queue', 'pauseQueue', { queue: queue.name });
  await raw.call('queue', 'obliterateQueue', {
    queue: queue.name,
    confirmQueue: queue.name,
    force: true,
  });
  await rig.redis.client.ping();
  const foreign = [...keys].filter(
    (key) => !key.startsWith(queue.base) && !key.startsWith(other.base),
  );
  expect(keys.size).toBeGreaterThan(20);
  expect(foreign).toEqual([]);
});
