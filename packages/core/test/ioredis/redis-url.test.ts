import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from '../../src/ioredis/redis-url.js';

const at = (host: string, port = 6379) => ({ host, port });
const single = (...nodes: { host: string; port: number }[]) => ({
  kind: 'single' as const,
  tls: false,
  nodes,
});

describe('parseRedisUrl', () => {
  it.each([
    ['redis://', single(at('127.0.0.1'))],
    ['redis://localhost', single(at('localhost'))],
    ['redis://localhost/', single(at('localhost'))],
    ['redis://:7000', single(at('127.0.0.1', 7000))],
    ['redis://10.0.0.1:7000/3', { ...single(at('10.0.0.1', 7000)), db: 3 }],
    ['redis://[::1]:7000', single(at('::1', 7000))],
    ['redis://[::1]', single(at('::1'))],
    ['redis://:pw@host', { ...single(at('host')), password: 'pw' }],
    ['redis://user@host', { ...single(at('host')), username: 'user' }],
    ['redis://user:pw@host', { ...single(at('host')), username: 'user', password: 'pw' }],
    ['redis://u:a:b@host', { ...single(at('host')), username: 'u', password: 'a:b' }],
    [
      'redis://u%40x:p%2F%3A%40%25@host',
      { ...single(at('host')), username: 'u@x', password: 'p/:@%' },
    ],
    ['redis://:@host', { ...single(at('host')), password: '' }],
    ['rediss://host:6380', { ...single(at('host', 6380)), tls: true }],
    ['unix:///tmp/redis.sock', { kind: 'socket', tls: false, path: '/tmp/redis.sock' }],
    ['unix:///tmp/a%20b.sock?db=2', { kind: 'socket', tls: false, path: '/tmp/a b.sock', db: 2 }],
    [
      'unix://u:pw@/tmp/redis.sock',
      { kind: 'socket', tls: false, path: '/tmp/redis.sock', username: 'u', password: 'pw' },
    ],
    [
      'redis+sentinel://a,b:1/mymaster',
      { kind: 'sentinel', tls: false, nodes: [at('a', 26379), at('b', 1)], name: 'mymaster' },
    ],
    [
      'redis+sentinel://:pw@a/m%20m/4',
      { kind: 'sentinel', tls: false, nodes: [at('a', 26379)], name: 'm m', password: 'pw', db: 4 },
    ],
    ['rediss+sentinel://a/m', { kind: 'sentinel', tls: true, nodes: [at('a', 26379)], name: 'm' }],
    ['redis+cluster://a,b:7001', { kind: 'cluster', tls: false, nodes: [at('a'), at('b', 7001)] }],
    ['redis+cluster://a/0', { kind: 'cluster', tls: false, nodes: [at('a')] }],
    [
      'rediss+cluster://u:pw@a:1',
      { kind: 'cluster', tls: true, nodes: [at('a', 1)], username: 'u', password: 'pw' },
    ],
  ])('reads %s', (url, target) => {
    expect(parseRedisUrl(url)).toEqual(target);
  });

  it.each([
    ['', /must begin with redis:/],
    ['localhost:6379', /must begin with redis:/],
    ['http://host', /must begin with redis:/],
    ['REDIS://host', /must begin with redis:/],
    ['redis+http://host', /must begin with redis:/],
    ['unix+cluster:///tmp/secret.sock', /must begin with redis:/],
    ['redis://host:0', /host and port/],
    ['redis://host:70000', /host and port/],
    ['redis://host:secret', /host and port/],
    ['redis://host:6379:6380', /host and port/],
    ['redis://::1', /host and port/],
    ['redis://ho st', /host and port/],
    ['redis://user:sec@ret@host', /host and port/],
    ['redis://user:sec/ret@host', /host and port/],
    ['redis://user:7/secret@host', /database/],
    ['redis://host/secret', /database/],
    ['redis://host/1.5', /database/],
    ['redis://host/-1', /database/],
    ['redis://host/1/2', /path/],
    ['redis://a,b', /several hosts/],
    ['redis://secret%zz@host', /percent/],
    ['unix:///tmp/%zz', /percent/],
    ['unix://', /path of a socket/],
    ['unix://tmp/secret.sock', /path of a socket/],
    ['unix:///tmp/x.sock?db=secret', /database/],
    ['redis+sentinel://a', /name of the primary/],
    ['redis+sentinel://a/', /name of the primary/],
    ['redis+sentinel://a/m/secret', /database/],
    ['redis+sentinel://a/m/1/2', /path/],
    ['redis+cluster://a/3', /one database/],
    ['redis+cluster://a,', /host and port/],
  ])('refuses %j and does not repeat it', (url, problem) => {
    let error: unknown;
    try {
      parseRedisUrl(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TypeError);
    const { message } = error as Error;
    expect(message).toMatch(/^redis url: /);
    expect(message).toMatch(problem);
    expect(message).not.toMatch(/secret|sec@|ret@|zz/);
  });
});
