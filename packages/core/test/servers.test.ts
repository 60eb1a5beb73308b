import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshQueue, keysOf, privateRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { addStandardJob, StoreFull } from '../src/index.js';
import { connectRedis } from '../src/ioredis/index.js';
import { callEveryBinding, EVERY_SCRIPT } from './every-binding.js';
import { NOW, ready, testQueue } from './use-store.js';

/**
 * Every script on every server that is there: the machine's own, those of `ECHOMQ_TEST_SERVERS` (paths, with `:`
 * between), and those that tools/local-redis/bin/fetch-servers.sh can bring. A server that is not there is skipped by
 * name.
 */
const WANTED = ['redis-6.2', 'valkey-9'];

function fetched(): Map<string, string> {
  const script = new URL('../../../tools/local-redis/bin/fetch-servers.sh', import.meta.url);
  try {
    const lines = execFileSync('bash', [fileURLToPath(script)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 90_000,
    });
    return new Map(
      lines.split('\n').flatMap((line) => {
        const [name, path] = line.split(/ (.*)/);
        return name && path ? [[name, path] as const] : [];
      }),
    );
  } catch {
    return new Map();
  }
}

const found = fetched();
const named = (process.env.ECHOMQ_TEST_SERVERS ?? '').split(':').filter((path) => path !== '');
const SERVERS: readonly { name: string; binary?: string; there: boolean }[] = [
  { name: "the machine's own", there: true },
  ...named.map((binary) => ({
    name: `${basename(binary)} of the environment`,
    binary,
    there: true,
  })),
  ...WANTED.map((name) => {
    const binary = found.get(name);
    return binary === undefined ? { name, there: false } : { name, binary, there: true };
  }),
];

describe.each(SERVERS)('on $name', ({ binary, there }) => {
  const start = () => privateRedis({ socket: true, ...(binary ? { binary } : {}) });

  it.skipIf(!there)('every script runs to its end', async ({ annotate }) => {
    await using server = await start();
    const admin = server.connect();
    const info = await admin.info('server');
    // Valkey tells the version of Redis that it can stand in for as well.
    const said = /^valkey_version:\S+/m.exec(info) ?? /^redis_version:\S+/m.exec(info);
    await annotate(said?.[0] ?? 'a server that does not tell its version');
    await using connected = await ready(connectRedis({ url: server.url }));
    const queue = testQueue(freshQueue(admin));
    expect(await callEveryBinding(connected.store, queue.keys)).toEqual(EVERY_SCRIPT);
    expect(await keysOf(admin, '')).toEqual([]);
  });

  it.skipIf(!there)('errors are told apart, as this server words them', async () => {
    await using server = await start();
    const admin = server.connect();
    await using connected = await ready(connectRedis({ url: server.url }));
    const queue = testQueue(freshQueue(admin));
    const { store } = connected;
    const add = () =>
      addStandardJob(store, queue.keys, { name: 'j', data: '1', opts: '{}', timestamp: NOW });
    const failure = () => add().catch((error: unknown) => error);

    await add();
    await admin.config('SET', 'maxmemory', '1');
    expect(await failure()).toBeInstanceOf(StoreFull);
    await admin.config('SET', 'maxmemory', '0');

    await admin.rename(queue.key('wait'), queue.key('elsewhere'));
    await admin.set(queue.key('wait'), 'no list');
    expect(await failure()).toMatchObject({ name: 'ContractBroken' });
    await admin.del(queue.key('wait'));

    await admin.script('FLUSH');
    await add();

    await admin.replicaof('127.0.0.1', '1');
    expect(await failure()).toMatchObject({ name: 'StoreUnavailable', mayHaveApplied: false });
  });
});
