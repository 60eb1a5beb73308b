import { describe, expect, it } from 'vitest';
import { freshQueue } from '../src/queues/fresh-queue.js';
import { startCluster } from '../src/servers/start-cluster.js';
import { useStarted } from '../src/servers/use-started.js';

const cluster = useStarted(() => startCluster(3));

describe('startCluster', () => {
  it('takes keys on every node, and read finds them', async () => {
    const client = cluster.value.connect();
    const queue = freshQueue(client, { prefix: '{bull}' });
    await queue.seed({ wait: ['1'], jobs: { 1: { name: 'a' } } });
    expect(await queue.read()).toMatchObject({ wait: ['1'], 1: { name: 'a' } });

    const loose = freshQueue(client);
    for (let id = 0; id < 30; id += 1) await client.set(loose.key(`${id}`), `${id}`);
    expect(Object.keys(await loose.read())).toHaveLength(30);
    const perNode = await Promise.all(client.nodes('master').map((node) => node.dbsize()));
    expect(perNode.every((keys) => keys > 0)).toBe(true);
  });
});
