/**
 * The test language: private servers, queues seeded and read whole, signals instead of sleeps,
 * faults, leaks. For tests only.
 */
export {
  type FreshQueue,
  type FreshQueueOptions,
  freshQueue,
} from './queues/fresh-queue.js';
export { type JobSeed, jobHash } from './queues/job-hash.js';
export { globEscape, keysOf, type QueueKeys, type RedisClient } from './queues/keys-of.js';
export { type Dumped, type QueueDump, type ReadOptions, read } from './queues/read.js';
export { readTtls } from './queues/read-ttls.js';
export { type LockSeed, type QueueState, type SeedValue, seed } from './queues/seed.js';
export { strayKeys } from './queues/stray-keys.js';
export type { AclUser } from './servers/acl.js';
export type { ClientOptions } from './servers/clients.js';
export {
  type PrivateRedis,
  type PrivateRedisOptions,
  privateRedis,
} from './servers/private-redis.js';
export { makeTlsFiles, type TlsFiles } from './servers/tls.js';
export { type UsedRedis, useRedis } from './servers/use-redis.js';
export { type Started, useStarted } from './servers/use-started.js';
