export { type ConnectOptions, connectRedis, fromIoredis } from './connect.js';
