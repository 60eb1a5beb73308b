/**
 * Finds, installs and runs a Redis or Valkey of one's own: `ensureServer()` once per command,
 * `startLocalRedis()` for each private server.
 */
export { ensureServer } from './ensure-server.js';
export { describeServer, findBinary, type RedisServer } from './find-server.js';
export { freePort } from './free-port.js';
export { type GuardedCommand, spawnGuarded } from './guarded.js';
export type { LocalRedis } from './local-redis.js';
export { type LocalRedisOptions, startLocalRedis } from './start.js';
