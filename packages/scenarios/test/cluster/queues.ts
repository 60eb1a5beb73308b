import { randomBytes } from 'node:crypto';
import { freshQueue, ownerOf, type PrivateCluster, type QueueDump, slotOf } from '@echomq/testkit';

/** A queue's name for each node that owns its slot, in the nodes' order. */
export async function queuePerNode(cluster: PrivateCluster): Promise<string[]> {
  const names: string[] = [];
  while (names.filter(Boolean).length < cluster.nodes.length) {
    const name = `c-${randomBytes(4).toString('hex')}`;
    const slot = await slotOf(cluster.nodes[0] as never, `{${name}}`);
    names[await ownerOf(cluster, slot)] ??= name;
  }
  return names;
}

/** A queue read whole. @param name as it stands in the keys, braces and all */
export async function readIn(cluster: PrivateCluster, name: string): Promise<QueueDump> {
  const client = cluster.connect();
  // Before it has met the nodes it knows none that it could ask for keys.
  await client.get('any');
  return freshQueue(client, { name }).read();
}
