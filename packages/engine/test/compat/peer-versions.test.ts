import { collect, type FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { bullMajor } from '../../src/compat/peer-versions.js';
import { fetchOf, useEngine } from '../use-engine.js';
import { patient } from '../use-services.js';

const log = collect<{ event: string; facts: object }>('log');
const note = (event: string, facts: object) => log.push({ event, facts });
const used = useEngine({
  sweep: { stalledIntervalMs: 30 },
  logger: { info: () => undefined, warn: note, error: note },
});

/** A queue that the engine serves. */
async function served(): Promise<FreshQueue> {
  const queue = used.queue();
  await used.engine.services.worker.fetchJobs(fetchOf(queue), patient);
  return queue;
}

/** What a BullMQ queue leaves behind when it is made. */
const leave = (queue: FreshQueue, version: string) =>
  used.redis.client.hset(`${queue.base}meta`, 'version', version);

const warnings = (queue: FreshQueue) =>
  log.items
    .filter(({ facts }) => (facts as { queue?: string }).queue === queue.name)
    .map(({ event, facts }) => [event, (facts as { version?: string }).version]);

/** Resolves when the engine has looked at all queues at least once more. */
async function looked(): Promise<void> {
  const canary = await served();
  await leave(canary, 'bullmq:5.0.0');
  await expect.poll(() => warnings(canary)).toHaveLength(1);
  const second = await served();
  await leave(second, 'bullmq:5.0.0');
  await expect.poll(() => warnings(second)).toHaveLength(1);
}

describe('the versions of peers', () => {
  test('a 5.x is warned about once; one major from 6 on is nothing to tell', async () => {
    const [old, fine, none] = [await served(), await served(), await served()];
    await leave(old, 'bullmq:5.81.5');
    await leave(fine, 'bullmq:6.7.0');
    await looked();
    await leave(old, 'bullmq:5.81.6');
    await leave(fine, 'bullmq:6.8.0');
    await looked();
    expect(warnings(old)).toEqual([['peers.bullmq5', 'bullmq:5.81.5']]);
    expect([...warnings(fine), ...warnings(none)]).toEqual([]);
  });

  test('majors that take turns are warned about once, in either order', async () => {
    const [up, down] = [await served(), await served()];
    await leave(up, 'bullmq:5.81.5');
    await leave(down, 'bullmq:6.7.0');
    await looked();
    await leave(up, 'bullmq:6.7.0');
    await leave(down, 'bullmq:5.81.5');
    await looked();
    await leave(up, 'bullmq:5.81.5');
    await leave(down, 'bullmq:6.7.0');
    await looked();
    expect(warnings(up).map(([event]) => event)).toEqual(['peers.bullmq5', 'peers.mixedMajors']);
    expect(warnings(down).map(([event]) => event)).toEqual(['peers.mixedMajors']);
    expect(log.items.find(({ event }) => event === 'peers.mixedMajors')?.facts).toMatchObject({
      majors: [5, 6],
      see: expect.stringContaining('docs/compatibility.md'),
    });
  });

  test('what is not written by BullMQ for Node says nothing', () => {
    const texts = ['bullmq:5.1.0', 'bullmq:16.0.1', 'bullmq-pro:7.4.0', 'bullmq-official:1.0', 'x'];
    expect(texts.map(bullMajor)).toEqual([5, 16, undefined, undefined, undefined]);
  });
});
