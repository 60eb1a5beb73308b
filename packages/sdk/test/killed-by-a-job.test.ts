import { fileURLToPath } from 'node:url';
import { eventually, type NodeProcess, spawnNode, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { embedded, Queue } from '../src/embedded/index.js';

const path = fileURLToPath(new URL('./fixtures/killed-by-a-job.mjs', import.meta.url));
const redis = useRedis();

it('a job that kills each worker that runs it fails in the end, be it one that waited there; none of the others does', {
  timeout: 90_000,
}, async () => {
  const { name, key } = redis.freshQueue();
  const ended = new AbortController();
  const live: NodeProcess[] = [];
  /** One process after the other, until the job has failed. */
  const workers = async () => {
    while (!ended.signal.aborted) {
      const args = [redis.url, name];
      const child = await spawnNode(path, { args, ready: /^ready$/ });
      live.push(child);
      await child.exit.wait(90_000);
    }
  };
  await using connection = embedded({ redis: redis.url, sweep: { stalledIntervalMs: 600_000 } });
  const queue = new Queue<{ kills?: true }>(name, { connection });
  const short = Array.from({ length: 200 }, () => ({ name: 'short', data: {} }));
  let added = 0;
  const isOver = async () => (await redis.client.zscore(key('failed'), 'killer')) !== null;
  const lives = [workers(), workers()];
  onTestFinished(() => ended.abort());
  // Enough always waits for the workers to be busy, so that jobs wait at them for a slot.
  for (let killing = false; !(await isOver()); ) {
    if ((await redis.client.llen(key('wait'))) < 400) {
      await queue.addBulk(short);
      added += short.length;
    }
    if (!killing && added > 2_000) {
      killing = true;
      await queue.add('killer', { kills: true }, { jobId: 'killer' });
    }
  }
  const [reason, stalls, runs] = await redis.client.hmget(
    key('killer'),
    ...['failedReason', 'stc', 'ats'],
  );
  expect([reason, stalls]).toEqual(['job stalled more than allowable limit', '2']);
  // Each stall that is not counted is followed by one that is.
  expect(Number(runs)).toBeLessThanOrEqual(4);
  expect(await redis.client.zrange(key('failed'), '0', '-1')).toEqual(['killer']);
  await eventually(async () => expect(await redis.client.zcard(key('completed'))).toBe(added));
  ended.abort();
  for (const child of live) await child.stop();
  await Promise.all(lives);
});
