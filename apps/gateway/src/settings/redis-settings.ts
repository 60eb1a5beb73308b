import { maskUrl } from './mask.js';
import { anyText, redisUrl } from './parsers.js';
import { always, file, maybe } from './setting.js';

/** How the store is reached. */
export const REDIS_SETTINGS = {
  redisUrl: always({
    about: 'redis://, rediss://, unix://, redis+sentinel://, redis+cluster://',
    value: 'url',
    fallback: 'redis://127.0.0.1:6379',
    parse: redisUrl,
    mask: maskUrl,
  }),
  redisUsername: maybe({
    about: 'ACL user; goes before the one in the URL',
    value: 'name',
    parse: anyText,
  }),
  redisPasswordFile: file('the password is in this file; goes before the one in the URL'),
  redisTlsCa: file('authority of the Redis server, PEM'),
  redisTlsCert: file('client certificate for Redis, PEM'),
  redisTlsKey: file('private key for Redis, PEM'),
  redisTlsServerName: maybe({
    about: 'the name in the certificate of the Redis server, where it is not the host of the URL',
    value: 'name',
    parse: anyText,
  }),
  redisSentinelUsername: maybe({
    about: 'ACL user of the sentinels themselves',
    value: 'name',
    parse: anyText,
  }),
  redisSentinelPasswordFile: file('the password of the sentinels themselves is in this file'),
};
