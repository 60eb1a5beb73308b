export { type ConnectOptions, connectRedis, fromIoredis } from './connect.js';
export { parseRedisUrl, type RedisTarget } from './redis-url.js';
