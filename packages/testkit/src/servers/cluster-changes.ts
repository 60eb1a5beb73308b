import type { LocalRedis } from '@echomq/local-redis';
import { eventually } from '../signals/eventually.js';
import { asking } from './asking.js';
import type { PrivateCluster } from './start-cluster.js';

/** A node of a cluster. */
type Node = Pick<LocalRedis, 'port'>;

/** Makes a fresh node a replica of a primary and waits until it has a copy. */
export async function follow(replica: Node, primary: Node | undefined): Promise<void> {
  if (primary === undefined) throw new Error('the cluster has no such node');
  const id = await idOf(primary);
  await asking(replica, async (admin) => {
    await admin.call('CLUSTER', 'MEET', '127.0.0.1', `${primary.port}`);
    await eventually(() => admin.call('CLUSTER', 'REPLICATE', id), 15_000);
    await eventually(async () => {
      const info = await admin.info('replication');
      if (!info.includes('master_link_status:up')) throw new Error(`no replication:\n${info}`);
    }, 15_000);
  });
}

/**
 * Makes a replica the primary of its shard.
 *
 * @param how `orderly` needs its primary and loses nothing; `takeover` asks nobody, for a primary that is gone
 */
export async function failoverShard(
  replica: Node,
  how: 'orderly' | 'takeover' = 'orderly',
): Promise<void> {
  await asking(replica, async (admin) => {
    const isPrimary = async () => {
      const [role] = (await admin.role()) as unknown[];
      if (role !== 'master') throw new Error(`it is still a ${role}`);
    };
    // One that has no copy yet gives the orderly way up after 5 s and says nothing: it is asked again.
    await eventually(async () => {
      await admin.call('CLUSTER', 'FAILOVER', ...(how === 'takeover' ? ['TAKEOVER'] : []));
      await eventually(isPrimary, 6_000);
    }, 40_000);
  });
}

/** The slot of a key. */
export function slotOf(node: Node, key: string): Promise<number> {
  return asking(node, async (admin) => Number(await admin.call('CLUSTER', 'KEYSLOT', key)));
}

/** The place in `nodes` of the one that owns a slot. */
export function ownerOf({ nodes }: PrivateCluster, slot: number): Promise<number> {
  return asking(nodes[0] as Node, async (admin) => {
    const ranges = (await admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const range = ranges.find(([from, to]) => from <= slot && slot <= to);
    return nodes.findIndex(({ port }) => port === range?.[2][1]);
  });
}

/**
 * Moves a slot with all its keys from its owner to another node, as a resharding does, one key after the other. Clients
 * meet ASK and TRYAGAIN meanwhile, and MOVED afterwards.
 *
 * @param to the new owner's place in `nodes`
 * @param between called after each key
 */
export async function migrateSlot(
  cluster: PrivateCluster,
  slot: number,
  { to, between }: { readonly to: number; readonly between?: () => Promise<unknown> },
): Promise<void> {
  const from = cluster.nodes[await ownerOf(cluster, slot)] as LocalRedis;
  const target = cluster.nodes[to] as LocalRedis;
  const [fromId, toId] = [await idOf(from), await idOf(target)];
  const set = (node: Node, ...args: string[]) =>
    asking(node, (admin) => admin.call('CLUSTER', 'SETSLOT', `${slot}`, ...args));
  await set(target, 'IMPORTING', fromId);
  await set(from, 'MIGRATING', toId);
  await asking(from, async (admin) => {
    for (;;) {
      const keys = (await admin.call('CLUSTER', 'GETKEYSINSLOT', `${slot}`, '10')) as string[];
      if (keys.length === 0) return;
      for (const key of keys) {
        await admin.call('MIGRATE', '127.0.0.1', `${target.port}`, key, '0', '5000');
        await between?.();
      }
    }
  });
  await set(target, 'NODE', toId);
  for (const node of cluster.nodes) if (node !== target) await set(node, 'NODE', toId);
}

function idOf(node: Node): Promise<string> {
  return asking(node, async (admin) => String(await admin.call('CLUSTER', 'MYID')));
}
