import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { eventually, signal } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { add, complete, fail, finish, PATIENCE_MS, takeOne, useRig } from '../../src/index.js';
import { node, workOff } from '../flows/family.js';

const rig = useRig();

/**
 * The keys that commands inside scripts name, gathered to the end of the test. MONITOR over a bare socket: the client
 * mistakes a line that comes with the answer for a reply.
 */
async function watchKeys(path: string): Promise<Set<string>> {
  const keys = new Set<string>();
  const watching = signal('the answer to MONITOR');
  const socket = connect({ path });
  onTestFinished(() => void socket.destroy());
  createInterface({ input: socket }).on('line', (line) => {
    watching.resolve();
    const [, command = '', key] = /^\+\S+ \[\d+ lua\] "(\w+)" "([^"]*)"/.exec(line) ?? [];
    if (key !== undefined && !/^(time|publish)$/i.test(command)) keys.add(key);
  });
  socket.write('MONITOR\r\n');
  await watching.wait(PATIENCE_MS);
  return keys;
}

it('T044 undeclared keys: no script touches a key outside its queue and its parent’s', async () => {
  const [queue, other] = [rig.freshQueue(), rig.freshQueue()];
  const raw = rig.raw();
  const keys = await watchKeys(rig.redis.server.socketPath ?? '');
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
  await eventually(() => expect(keys.size).toBeGreaterThan(20), PATIENCE_MS);
  const foreign = [...keys].filter(
    (key) => !key.startsWith(queue.base) && !key.startsWith(other.base),
  );
  expect(foreign).toEqual([]);
});
