export { type ConnectOptions, connectRedis, fromIoredis } from './connect.js';
export { Deadline, Deadlines } from './deadlines.js';
export { parseRedisUrl, type RedisTarget } from './redis-url.js';
