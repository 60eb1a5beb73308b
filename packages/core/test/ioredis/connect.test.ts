import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshQueue, type PrivateRedis, privateRedis, serverSpeaksTls } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { addStandardJob, moveBatch } from '../../src/index.js';
import { connectRedis, fromIoredis } from '../../src/ioredis/index.js';
import type { RedisClient } from '../../src/redis-client.js';
import { callEveryBinding, EVERY_SCRIPT } from '../every-binding.js';
import { ready, testQueue } from '../use-store.js';

/** Works a queue through a client, with every binding, and closes the client. */
async function work(client: RedisClient, server: PrivateRedis, password?: string): Promise<void> {
  await using connected = await ready(client);
  const admin = server.connect(password ? { password } : {});
  const queue = testQueue(freshQueue(admin));
  expect(await callEveryBinding(connected.store, queue.keys)).toEqual(EVERY_SCRIPT);
  expect(client.cluster).toBe(false);
  expect(client.nodeOf(queue.keys.wait)).toBe('single');
  const pinged = await client.eachPrimary('PING', []);
  expect(pinged.map(String)).toEqual(['PONG']);
  admin.disconnect();
}

describe('connectRedis', () => {
  it('by redis://, with a database and a name', async () => {
    await using server = await privateRedis();
    await using connected = await ready(
      connectRedis({ url: `${server.url}/3`, connectionName: 'echomq:test' }),
    );
    await connected.store.command('SET', ['here', 1]);
    const admin = server.connect({ db: 3 });
    expect(await admin.get('here')).toBe('1');
    expect(String(await connected.store.command('CLIENT', ['GETNAME']))).toBe('echomq:test');
    await work(connectRedis({ url: server.url }), server);
  });

  it('by unix socket', async () => {
    await using server = await privateRedis({ socket: true });
    await work(connectRedis({ url: server.url }), server);
  });

  it('with a password, by option or from a file', async () => {
    await using server = await privateRedis({ password: 'p@ss:/%' });
    await work(connectRedis({ url: server.url, password: 'p@ss:/%' }), server);
    const passwordFile = join(server.folder, 'password');
    writeFileSync(passwordFile, 'p@ss:/%\n');
    await work(connectRedis({ url: server.url, passwordFile }), server);
    const url = server.url.replace('//', `//:${encodeURIComponent('p@ss:/%')}@`);
    await work(connectRedis({ url }), server);
  });

  it('tells why it does not get through, until it does', async () => {
    await using server = await privateRedis({ password: 'right' });
    for (const password of [undefined, 'wrong']) {
      const client = connectRedis({ url: server.url, ...(password ? { password } : {}) });
      await expect.poll(() => client.problem).toMatch(/NOAUTH|WRONGPASS/);
      await client.close();
    }
    const nobody = connectRedis({ url: 'redis://127.0.0.1:1' });
    await expect.poll(() => nobody.problem).toContain('ECONNREFUSED');
    await nobody.close();
    await using connected = await ready(connectRedis({ url: server.url, password: 'right' }));
    expect(connected.client.problem).toBeUndefined();
  });

  it('says at once that a password file is not there', () => {
    const wrong = { url: 'redis://127.0.0.1:1', passwordFile: '/no/such/file' };
    expect(() => connectRedis(wrong)).toThrow(/no such file/);
  });

  it('duplicates with the same settings', async () => {
    await using server = await privateRedis({ password: 'pw' });
    await using first = await ready(
      connectRedis({ url: `${server.url}/2`, password: 'pw', connectionName: 'n' }),
    );
    await using second = await ready(first.client.duplicate());
    await second.store.command('SET', ['here', 1]);
    expect(String(await first.store.command('GET', ['here']))).toBe('1');
    const ids = [first, second].map(({ store }) => store.command('CLIENT', ['ID']));
    expect(new Set(await Promise.all(ids)).size).toBe(2);
    expect(String(await second.store.command('CLIENT', ['GETNAME']))).toBe('n');
  });
});

describe.runIf(await serverSpeaksTls())('connectRedis by rediss://', () => {
  it('trusts the authority that it is given, by path or as text, and no other', async () => {
    await using server = await privateRedis({ tls: true });
    const { ca = '', caText = '' } = server.tls ?? {};
    await work(connectRedis({ url: server.url, tls: { ca } }), server);
    await work(connectRedis({ url: server.url, tls: { ca: caText } }), server);
    await work(connectRedis({ url: server.url, tls: { insecure: true } }), server);
    const stranger = connectRedis({ url: server.url });
    const waiting = stranger.whenReady(AbortSignal.timeout(300));
    await expect(waiting).rejects.toThrow();
    await expect(stranger.send('PING', [])).rejects.toMatchObject({ sent: false });
    await stranger.close();
  });

  it('shows its own certificate where the server asks for one', async () => {
    await using server = await privateRedis({ tls: 'mutual' });
    const { ca = '', clientCert = '', clientKey = '' } = server.tls ?? {};
    const tls = { ca, cert: clientCert, key: clientKey, serverName: 'localhost' };
    await work(connectRedis({ url: server.url, tls }), server);
    const bare = connectRedis({ url: server.url, tls: { ca } });
    await expect(bare.whenReady(AbortSignal.timeout(300))).rejects.toThrow();
    await bare.close();
  });
});

describe('connectRedis as an ACL user with the least that it needs', () => {
  /**
   * What the bindings need: keys of the prefix, EVALSHA and EVAL, and the commands inside the scripts, which Redis
   * checks against the user too. `info` for the client's ready check, `client|*` for names and for waking a blocked
   * connection, `bzpopmin` and `xread` for markers and events, `scan` and `unlink` for the
   * discovery of queues and their end, `time` for the
   * clock. No `+@all`, no `flushall`, no `keys`, no `config`. (Servers from 7.2 on know `client|setinfo`, with which
   * the client says what it is; where it is missing, that is all that is missing.)
   */
  const RULES = [
    'resetchannels',
    '~bull:*',
    '-@all',
    '+@hash',
    '+@list',
    '+@set',
    '+@sortedset',
    '+@stream',
    '+@string',
    ...[
      '+evalsha',
      '+eval',
      '+del',
      '+unlink',
      '+exists',
      '+type',
      '+pexpire',
      '+persist',
      '+pttl',
    ],
    ...['+info', '+time', '+scan', '+ping', '+select', '+hello', '+auth'],
    ...['+client|setname', '+client|getname', '+client|id', '+client|unblock'],
  ];

  it('runs every binding, and nothing else', async () => {
    await using server = await privateRedis({
      users: { engine: { password: 'pw', rules: RULES } },
    });
    const login = { url: server.url, username: 'engine', password: 'pw' };
    await work(connectRedis(login), server);
    await using connected = await ready(connectRedis(login));
    const { store } = connected;
    expect(await store.command('BZPOPMIN', ['bull:q:marker', 0.01])).toBeNull();
    for (const [command, args] of [
      ['FLUSHALL', []],
      ['KEYS', ['*']],
      ['CONFIG', ['GET', 'maxmemory']],
      ['GET', ['other:key']],
      ['SCRIPT', ['FLUSH']],
    ] as const) {
      await expect(store.command(command, args)).rejects.toThrow(/NOPERM/);
    }
  });

  it('says so where a permission is missing', async () => {
    const rules = RULES.filter((rule) => rule !== '+@stream');
    await using server = await privateRedis({ users: { engine: { password: 'pw', rules } } });
    await using connected = await ready(
      connectRedis({ url: server.url, username: 'engine', password: 'pw' }),
    );
    const queue = testQueue(freshQueue(server.connect()));
    const job = { name: 'j', data: '1', opts: '{}', timestamp: 1 };
    const add = addStandardJob(connected.store, queue.keys, job);
    await expect(add).rejects.toThrow(/lacks a permission/);
    // A batch answers each of its moves by itself.
    const worker = { token: 't', lockDuration: 60_000 };
    expect(await moveBatch(connected.store, queue.keys, [worker])).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/lacks a permission/) }),
    ]);
  });
});

describe('fromIoredis', () => {
  it("takes a client's address and login and leaves the client alone", async () => {
    await using server = await privateRedis({ password: 'pw' });
    const users = server.connect({ password: 'pw', db: 1, connectionName: 'theirs' });
    const client = fromIoredis(users);
    await using connected = await ready(client);
    await connected.store.command('SET', ['here', 1]);
    expect(await users.get('here')).toBe('1');
    await client.close();
    expect(await users.ping()).toBe('PONG');
    expect(users.options.enableOfflineQueue).toBe(true);
    await work(fromIoredis(users), server, 'pw');
  });

  it('refuses a keyPrefix, which keys inside scripts would not have', async () => {
    await using server = await privateRedis();
    const prefixed = server.connect({ keyPrefix: 'app:' });
    expect(() => fromIoredis(prefixed)).toThrow(/keyPrefix/);
  });
});
