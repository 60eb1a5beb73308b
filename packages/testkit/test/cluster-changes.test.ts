import { describe, expect, it } from 'vitest';
import { failoverShard, migrateSlot, ownerOf, slotOf } from '../src/servers/cluster-changes.js';
import { startCluster } from '../src/servers/start-cluster.js';
import { useStarted } from '../src/servers/use-started.js';
import { eventually } from '../src/signals/eventually.js';

const cluster = useStarted(() => startCluster(3));

describe('changes of a cluster', () => {
  it('moves a slot key by key, and clients follow', async () => {
    const { value } = cluster;
    const client = value.connect();
    for (let at = 0; at < 12; at += 1) await client.set(`{tag}${at}`, `${at}`);
    const slot = await slotOf(value.nodes[0] as never, '{tag}');
    const from = await ownerOf(value, slot);
    const to = (from + 1) % 3;
    let seen = 0;
    await migrateSlot(value, slot, {
      to,
      between: async () => {
        seen += 1;
        expect(await client.get('{tag}11')).toBe('11');
      },
    });
    expect(seen).toBe(12);
    expect(await ownerOf(value, slot)).toBe(to);
    expect(await client.get('{tag}0')).toBe('0');
  });

  it('gives a node a replica that takes over', { timeout: 40_000 }, async () => {
    const { value } = cluster;
    const client = value.connect();
    await client.set('{other}', '1');
    const owner = await ownerOf(value, await slotOf(value.nodes[0] as never, '{other}'));
    const replica = await value.addReplica(owner);
    await failoverShard(replica);
    await eventually(async () => expect(await client.set('{other}', '2')).toBe('OK'), 10_000);
  });
});
