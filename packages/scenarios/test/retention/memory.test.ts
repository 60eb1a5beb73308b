import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, type NodeProcess, spawnNode } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { PATIENCE_MS, type RawClient, scaled, useRig, workedOff } from '../../src/index.js';

const rig = useRig();
const FILE = fileURLToPath(new URL('../fixtures/measured-service.mjs', import.meta.url));
const READY = /^listening on (\S+)$/;
const LONG = process.env.ECHOMQ_SOAK === 'long';
const REMOVED = { removeOnComplete: { rule: { $case: 'remove', value: true } } } as const;

/** Bytes of the heap after a collection. */
async function heapOf(process: NodeProcess): Promise<number> {
  const told = () => process.lines.items.filter((line) => line.startsWith('memory '));
  const before = told().length;
  process.kill('SIGUSR2');
  await eventually(() => expect(told().length).toBeGreaterThan(before), PATIENCE_MS);
  return JSON.parse(told().at(-1)?.slice('memory '.length) ?? '').heapUsed;
}

it('T088 memory growth idle: idle slots and then no-op jobs leave the heap of worker and gateway flat', async () => {
  const queue = rig.freshQueue();
  const process = await spawnNode(FILE, {
    nodeArgs: ['--expose-gc'],
    args: [rig.redis.url, queue.name, `${scaled(20, 200)}`],
    ready: READY,
    readyLimitMs: PATIENCE_MS,
  });
  const raw = rig.raw(READY.exec(process.readyLine)?.[1]);
  const JOBS = scaled(1_000, LONG ? 350_000 : 100_000);
  await work(raw, queue, JOBS);
  const first = await heapOf(process);
  await sleep(scaled(2_000, 60_000));
  const idle = await heapOf(process);
  await work(raw, queue, 3 * JOBS);
  const last = await heapOf(process);
  // 10 % as it is written; of few jobs a small heap keeps a larger share.
  expect((idle - first) / first).toBeLessThan(0.1);
  expect((last - first) / first).toBeLessThan(scaled(0.2, 0.1));
});

/** Adds so many jobs and waits until none is left. */
async function work(
  raw: RawClient,
  queue: ReturnType<typeof rig.freshQueue>,
  jobs: number,
): Promise<void> {
  const items = Array.from({ length: 1_000 }, () => ({ name: 'x', options: REMOVED }));
  for (let left = jobs; left > 0; left -= items.length) {
    await raw.call('producer', 'addJobs', { queue: queue.name, items });
  }
  const { client } = rig.redis;
  const left = async () =>
    (await client.llen(queue.key('wait'))) + (await client.llen(queue.key('active')));
  await workedOff(left, 0);
}
