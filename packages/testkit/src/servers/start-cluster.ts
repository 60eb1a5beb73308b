import { type LocalRedis, startLocalRedis } from '@echomq/local-redis';
import { Cluster, type ClusterOptions, Redis } from 'ioredis';
import { track } from '../leaks/registry.js';
import { eventually } from '../signals/eventually.js';
import { follow } from './cluster-changes.js';
import { clusterPort } from './cluster-ports.js';

/** A private cluster of primaries, each with its share of the slots. */
export interface PrivateCluster extends AsyncDisposable {
  readonly nodes: readonly LocalRedis[];
  /** One `redis://…` per node. */
  readonly urls: readonly string[];
  /**
   * Adds a replica of a node and waits until it holds what the node holds; ended with the cluster.
   *
   * @param index the node's place in {@link nodes}
   */
  addReplica(index: number): Promise<LocalRedis>;
  /** A new client, closed with the cluster. */
  connect(options?: Omit<ClusterOptions, 'redisOptions'>): Cluster;
  stop(): Promise<void>;
}

const SLOTS = 16_384;

/**
 * Starts a cluster without replicas and waits until each node knows all the others and all slots.
 * It takes about two seconds, most of them the servers' own.
 *
 * @param size number of nodes
 * @throws Error when it does not stand within 20 seconds
 */
export async function startCluster(size = 3): Promise<PrivateCluster> {
  const nodes: LocalRedis[] = [];
  const clients: Cluster[] = [];
  const replicas: LocalRedis[] = [];
  const stop = async (): Promise<void> => {
    for (const client of clients.splice(0)) client.disconnect();
    await Promise.all([...nodes, ...replicas].map((node) => node.stop()));
  };
  try {
    for (let index = 0; index < size; index += 1) nodes.push(await startNode());
    await join(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  const untrack = track(`cluster at ${nodes[0]?.url}`);
  const end = async (): Promise<void> => {
    await stop();
    untrack();
  };
  return {
    nodes,
    urls: nodes.map((node) => node.url),
    async addReplica(index) {
      const replica = await startNode();
      replicas.push(replica);
      await follow(replica, nodes[index]);
      return replica;
    },
    connect(options = {}) {
      const hosts = nodes.map(({ port = 0 }) => ({ host: '127.0.0.1', port }));
      const client = new Cluster(hosts, { clusterRetryStrategy: () => 20, ...options });
      client.on('error', () => {});
      clients.push(client);
      return client;
    },
    stop: end,
    [Symbol.asyncDispose]: end,
  };
}

async function startNode(): Promise<LocalRedis> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startLocalRedis({
        persistence: 'none',
        port: await clusterPort(),
        args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
      });
    } catch (error) {
      if (attempt === 5 || !/in use|could not create|failed listening/i.test(`${error}`))
        throw error;
    }
  }
}

/** Gives each node its slots and makes them known to each other. */
async function join(nodes: readonly LocalRedis[]): Promise<void> {
  const admins = nodes.map(({ port = 0 }) => new Redis({ port, host: '127.0.0.1' }));
  try {
    await Promise.all(
      admins.map(async (admin, index) => {
        const from = Math.floor((SLOTS * index) / nodes.length);
        const to = Math.floor((SLOTS * (index + 1)) / nodes.length);
        // Node by node instead of ADDSLOTSRANGE, which 6.2 does not know.
        const slots = Array.from({ length: to - from }, (_, at) => from + at);
        await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`);
        await admin.call('CLUSTER', 'ADDSLOTS', ...slots);
      }),
    );
    for (const { port } of nodes.slice(1)) {
      await admins[0]?.call('CLUSTER', 'MEET', '127.0.0.1', `${port}`);
    }
    for (const admin of admins) {
      await eventually(async () => {
        const info = String(await admin.call('CLUSTER', 'INFO'));
        const whole =
          info.includes('cluster_state:ok') &&
          info.includes(`cluster_known_nodes:${nodes.length}`) &&
          info.includes(`cluster_size:${nodes.length}`);
        if (!whole) throw new Error(`the cluster does not stand:\n${info}`);
      }, 20_000);
    }
  } finally {
    for (const admin of admins) admin.disconnect();
  }
}
