import { expect, test } from 'vitest';
import { workerClientName } from '../../src/compat/worker-list.js';
import { useEngine } from '../use-engine.js';
import { openOf, openWork } from '../work-link.js';

const used = useEngine({ compat: { workerList: true } });

/** The names of the workers' connections at the server. */
async function listed(): Promise<string[]> {
  const clients = String(await used.redis.client.client('LIST'));
  return [...clients.matchAll(/ name=(\S*:w:\S*)/g)].map(([, name]) => name as string);
}

/** A connection is made in the background: on a busy machine that takes its time. */
const WAIT = { timeout: 10_000 };
const nameOf = (queue: string) => `bull:${Buffer.from(queue).toString('base64')}:w:echomq-`;

test('a queue that is served has one connection of the name that BullMQ looks for', async () => {
  const [served, other] = [used.queue(), used.queue()];
  const workers = [1, 2].map(() => openWork(used.engine, openOf(served)));
  await expect.poll(listed, WAIT).toEqual([expect.stringContaining(nameOf(served.name))]);
  expect(String(await listed())).not.toContain(nameOf(other.name));

  const clients = String(await used.redis.client.client('LIST'));
  const line = clients.split('\n').find((each) => each.includes(':w:')) ?? '';
  await used.redis.client.client('KILL', 'ID', /id=(\d+)/.exec(line)?.[1] ?? '');
  await expect.poll(listed, WAIT).toEqual([]);
  await expect.poll(listed, WAIT).toEqual([expect.stringContaining(nameOf(served.name))]);
  for (const worker of workers) worker.cut();
  await Promise.all(workers.map(({ over }) => over));
});

test('it ends with the engine, and is off by default', async () => {
  const queue = used.queue();
  const listing = await used.another();
  const silent = await used.another({ compat: {} });
  const workers = [listing, silent].map((engine) => openWork(engine, openOf(queue)));
  const ofQueue = async () =>
    (await listed()).filter((name) => name.startsWith(nameOf(queue.name)));
  await expect.poll(ofQueue, WAIT).toHaveLength(1);
  for (const worker of workers) worker.cut();
  await Promise.all(workers.map(({ over }) => over));
  await listing.close();
  await expect.poll(ofQueue, WAIT).toEqual([]);
});

test('a name holds nothing that Redis refuses', () => {
  expect(workerClientName('bull', 'my queue', 'a b:c\n')).toBe('bull:bXkgcXVldWU=:w:a_b_c_');
});
