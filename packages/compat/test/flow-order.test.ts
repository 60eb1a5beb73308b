import { describe, expect, it } from 'vitest';
import { PEERS } from '../src/oracle/peers.js';
import type { FullHouse } from '../src/peers/house.js';
import { useHouses } from './use-houses.js';

const share = useHouses();

/** A tree of three generations; the leaves are what waits at once. */
const TREE = {
  root: ['a', 'b', 'c'],
  a: ['a1', 'a2'],
  b: [],
  c: ['c1', 'c2', 'c3'],
  a2: ['a21'],
} as const;

describe.each(PEERS)('the leaves of a flow of bullmq %s', (peer) => {
  it('wait in the order in which EchoMQ puts them', async () => {
    const orders: unknown[] = [];
    for (const by of ['bull', 'echo'] as const) {
      const shared = share(peer, 'SDK');
      await (shared[by] as FullHouse).addFlow(nodeOf('root'));
      const dump = await shared.queue.read();
      orders.push({
        wait: dump.wait,
        added: (dump.events as Record<string, string>[])
          .filter(({ event }) => event === 'added')
          .map(({ jobId }) => jobId),
      });
    }
    expect(orders[1]).toEqual(orders[0]);
  });
});

function nodeOf(key: string): Parameters<FullHouse['addFlow']>[0] {
  const children = (TREE as Record<string, readonly string[]>)[key] ?? [];
  return { task: { key, fails: 0 }, options: { jobId: key }, children: children.map(nodeOf) };
}
