import { readFileSync } from 'node:fs';
import { connect, Worker } from '@echomq/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { add, addMany, checkBooks, scaled, useRig, workedOff } from '../../src/index.js';

const rig = useRig({ processes: true });
const WORKERS = scaled(50, 1_000);
const JOBS = 10 * WORKERS;

/** Memory of a process that is in RAM, bytes. */
const memoryOf = (pid: number): number => {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1_024;
};

it(`overload: ${WORKERS} workers at one gateway and producers faster than they work all is run once, in bounded memory`, async () => {
  const queue = rig.freshQueue();
  const [gateway] = rig.gateways;
  const pid = gateway?.process?.pid ?? 0;
  const runs = new Map<string, number>();
  const handler = ({ id }: { readonly id: string }) => void runs.set(id, (runs.get(id) ?? 0) + 1);
  const connections = Array.from({ length: WORKERS / 50 }, () =>
    connect({ address: gateway?.address ?? '' }),
  );
  const workers = connections.flatMap((connection) =>
    Array.from({ length: 50 }, () => {
      const worker = new Worker(queue.name, handler, { connection, lockDuration: 60_000 });
      return worker.on('error', () => {});
    }),
  );
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.close({ timeoutMs: 5_000 })));
    await Promise.all(connections.map((connection) => connection.close()));
  };
  onTestFinished(close);
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  const raw = rig.raw();
  const before = memoryOf(pid);
  let most = before;
  const ids = await addMany(raw, queue.name, JOBS);
  await workedOff(() => {
    most = Math.max(most, memoryOf(pid));
    return rig.redis.client.zcard(queue.key('completed'));
  }, JOBS);
  // A stream may have what its window allows in hand, and no more waits for it here.
  expect(most - before).toBeLessThan(200_000_000);
  await close();
  // Nobody is left; who comes now is served.
  ids.push(await add(raw, queue.name));
  rig.worker(queue.name, handler);
  await workedOff(() => runs.size, JOBS + 1);
  await workedOff(() => rig.redis.client.zcard(queue.key('completed')), JOBS + 1);
  expect([...runs.values()].filter((count) => count > 1)).toEqual([]);
  expect(checkBooks(await queue.read(), { accepted: ids, atRest: true })).toEqual([]);
});
