/**
 * The test language: private servers, queues seeded and read whole, signals instead of sleeps,
 * faults, leaks. For tests only.
 *
 * ```ts
 * const redis = useRedis();
 *
 * it('moves the oldest waiting job', async () => {
 *   const queue = redis.freshQueue();
 *   await queue.seed({ wait: ['2', '1'], jobs: { 1: {}, 2: {} } });
 *   await moveToActive(redis.client, queue.name);
 *   expect(await queue.read()).toEqual({ wait: ['2'], active: ['1'], … });
 * });
 * ```
 */
export { type FakeClock, fakeClock } from './clock/fake-clock.js';
export { type Http2Proxy, http2Proxy, type ProxiedStream } from './faults/http2-proxy.js';
export {
  placesOf,
  plantScriptFault,
  SCRIPT_FAULTS,
  type ScriptFault,
  withFault,
} from './faults/script-faults.js';
export { type StoreFaults, storeFaults } from './faults/store-faults.js';
export { type Direction, type ProxyTarget, type TcpProxy, tcpProxy } from './faults/tcp-proxy.js';
export { failOnLeaks, leaksSince } from './leaks/fail-on-leaks.js';
export { openResources } from './leaks/open-resources.js';
export { stillOpen, track } from './leaks/registry.js';
export {
  type Exit,
  type NodeProcess,
  type SpawnNodeOptions,
  spawnNode,
} from './processes/spawn-node.js';
export {
  type FreshQueue,
  type FreshQueueOptions,
  freshQueue,
} from './queues/fresh-queue.js';
export { type JobSeed, jobHash } from './queues/job-hash.js';
export { globEscape, keysOf, type QueueKeys, type RedisClient } from './queues/keys-of.js';
export { type Dumped, type QueueDump, type ReadOptions, read } from './queues/read.js';
export { readAtOnce } from './queues/read-at-once.js';
export { readTtls } from './queues/read-ttls.js';
export { type LockSeed, type QueueState, type SeedValue, seed } from './queues/seed.js';
export { strayKeys } from './queues/stray-keys.js';
export type { AclUser } from './servers/acl.js';
export type { ClientOptions } from './servers/clients.js';
export { failoverShard, migrateSlot, ownerOf, slotOf } from './servers/cluster-changes.js';
export {
  type PrivateRedis,
  type PrivateRedisOptions,
  privateRedis,
} from './servers/private-redis.js';
export { serverSpeaksTls } from './servers/server-speaks-tls.js';
export { type PrivateCluster, startCluster } from './servers/start-cluster.js';
export { type PrivatePair, startPair } from './servers/start-pair.js';
export { type PrivateSentinel, startSentinel } from './servers/start-sentinel.js';
export { makeTlsFiles, type TlsFiles } from './servers/tls.js';
export { type UsedRedis, useRedis } from './servers/use-redis.js';
export { type Started, useStarted } from './servers/use-started.js';
export { type Collected, collect } from './signals/collect.js';
export { eventually } from './signals/eventually.js';
export { type Signal, signal } from './signals/signal.js';
export { withLimit } from './signals/with-limit.js';
