import {
  eventually,
  privateRedis,
  signal,
  type TcpProxy,
  tcpProxy,
  useStarted,
} from '@echomq/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addStandardJob, moveToActive, QueueKeys, StoreUnavailable } from '../src/index.js';
import { connectRedis } from '../src/ioredis/index.js';
import type { Store } from '../src/store.js';
import { NOW, ready } from './use-store.js';

const server = useStarted(() => privateRedis());
const JOB = { name: 'send', data: '1', opts: '{}', timestamp: NOW };
let queues = 0;
let keys: QueueKeys;
let proxy: TcpProxy;
let store: Store;
let close: () => Promise<void>;

beforeEach(async () => {
  keys = new QueueKeys('bull', `q${queues++}`);
  proxy = await tcpProxy(server.value.port ?? 0);
  const connected = await ready(connectRedis({ url: `redis://127.0.0.1:${proxy.port}` }));
  store = connected.store;
  await addStandardJob(store, keys, { ...JOB, customId: 'first' });
  close = async () => {
    await connected.client.close();
    await proxy.stop();
  };
});
afterEach(() => close());

/** Waits until the server has run so many adds on the queue. */
async function adds(count: number): Promise<void> {
  const admin = server.value.connect();
  while ((await admin.get(keys.id)) !== `${count}`) await new Promise(setImmediate);
  admin.disconnect();
}

/** How often the server has run an add on the queue. */
async function counted(): Promise<number> {
  const admin = server.value.connect();
  const count = Number(await admin.get(keys.id));
  admin.disconnect();
  return count;
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a link that breaks while a call is under way', () => {
  it('fails the call at once, with an unknown outcome', async () => {
    proxy.pause('toClient');
    const call = failure(addStandardJob(store, keys, JOB));
    await adds(2);
    const since = performance.now();
    proxy.cut();
    const error = await call;
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toMatchObject({ mayHaveApplied: true, reason: 'OUTCOME_UNKNOWN' });
    expect(performance.now() - since).toBeLessThan(2_000);
  });

  it('never sends the call again', async () => {
    proxy.pause('toClient');
    const calls = Array.from({ length: 20 }, () => failure(addStandardJob(store, keys, JOB)));
    await adds(21);
    proxy.cut();
    proxy.resume();
    const errors = await Promise.all(calls);
    expect(errors.every((error) => error instanceof StoreUnavailable)).toBe(true);
    await store.redis.whenReady(AbortSignal.timeout(5_000));
    // A new call comes after whatever the client might have sent again.
    await addStandardJob(store, keys, JOB);
    expect(await counted()).toBe(22);
  });

  it('fails a blocked call on a connection of its own, and that one alone', async () => {
    const blocking = store.redis.duplicate();
    await blocking.whenReady(AbortSignal.timeout(5_000));
    const popped = failure(blocking.send('BZPOPMIN', ['nothing', 5]));
    await store.command('PING', []);
    proxy.cut();
    expect(await popped).toMatchObject({ name: 'RedisLinkError', sent: true });
    await blocking.whenReady(AbortSignal.timeout(5_000));
    expect(String(await blocking.send('PING', []))).toBe('PONG');
    await blocking.close();
  });

  it('T040 call without deadline: gives a call up that gets no answer', async () => {
    const url = `redis://127.0.0.1:${proxy.port}`;
    await using impatient = await ready(connectRedis({ url, commandTimeoutMs: 100 }));
    proxy.swallow('toClient');
    const error = await failure(addStandardJob(impatient.store, keys, JOB));
    expect(error).toMatchObject({ mayHaveApplied: true, reason: 'OUTCOME_UNKNOWN' });
  });
});

describe('a link that is not there', () => {
  it('refuses calls at once, surely not applied, and works again when it is back', async () => {
    const { redis } = store;
    const down = signal('not ready');
    const stop = redis.onReadyChange((is) => !is && down.resolve());
    proxy.refuse();
    proxy.cut();
    await down.wait();
    stop();
    expect(redis.ready).toBe(false);
    const since = performance.now();
    for (let i = 0; i < 50; i++) {
      expect(await failure(addStandardJob(store, keys, JOB))).toMatchObject({
        name: 'StoreUnavailable',
        mayHaveApplied: false,
        reason: 'BACKEND_UNAVAILABLE',
      });
    }
    expect(performance.now() - since).toBeLessThan(1_000);
    await proxy.accept();
    await redis.whenReady(AbortSignal.timeout(10_000));
    await addStandardJob(store, keys, JOB);
    expect(await counted()).toBe(2);
  });

  it('is waited for from the start', async () => {
    proxy.refuse();
    const client = connectRedis({ url: `redis://127.0.0.1:${proxy.port}` });
    expect(await failure(client.send('PING', []))).toMatchObject({ sent: false });
    const given = failure(client.whenReady(AbortSignal.timeout(50)));
    expect(await given).toMatchObject({ name: 'AbortError' });
    await proxy.accept();
    await client.whenReady(AbortSignal.timeout(10_000));
    expect(String(await client.send('PING', []))).toBe('PONG');
    await client.close();
  });

  it('refuses calls after it was closed, and whoever waits for it', async () => {
    const client = connectRedis({ url: `redis://127.0.0.1:${proxy.port}` });
    await client.whenReady(AbortSignal.timeout(5_000));
    const popped = failure(client.send('BZPOPMIN', ['nothing', 5]));
    await client.close();
    await client.close();
    expect(await popped).toMatchObject({ name: 'RedisLinkError', sent: true });
    expect(await failure(client.send('PING', []))).toMatchObject({ sent: false });
    expect(await failure(client.whenReady())).toMatchObject({ name: 'RedisLinkError' });
  });
});

describe('a server that refuses to work', () => {
  it('restarts: calls fail, then work again, scripts and all', async () => {
    await server.value.restart();
    await store.redis.whenReady(AbortSignal.timeout(10_000));
    await addStandardJob(store, keys, JOB);
    expect(await counted()).toBe(1);
  });

  it('becomes a replica: calls fail as surely not applied, and work again after', async () => {
    const admin = server.value.connect();
    await admin.replicaof('127.0.0.1', '1');
    try {
      const error = await failure(addStandardJob(store, keys, JOB));
      expect(error).toMatchObject({ name: 'StoreUnavailable', mayHaveApplied: false });
      expect(String((error as Error).message)).toMatch(/READONLY/);
    } finally {
      await admin.replicaof('NO', 'ONE');
    }
    // The client leaves a replica of its own accord; until it is back, calls fail.
    await eventually(() => addStandardJob(store, keys, JOB));
    expect(await counted()).toBe(2);
    admin.disconnect();
  });

  it('is busy with a script: calls fail as surely not applied', async () => {
    const admin = server.value.connect();
    const killer = server.value.connect();
    await admin.config('SET', 'lua-time-limit', '10');
    const busy = failure(admin.call('EVAL', 'while true do end', 0) as Promise<unknown>);
    const refused = async () => failure(moveToActive(store, keys, { token: 't', lockDuration: 1 }));
    let error = await refused();
    while (error === undefined) error = await refused();
    expect(error).toMatchObject({ name: 'StoreUnavailable', mayHaveApplied: false });
    expect(String((error as Error).message)).toMatch(/BUSY/);
    await killer.script('KILL');
    await busy;
    admin.disconnect();
    killer.disconnect();
  });

  it('forbids a command: calls fail as surely not applied', async () => {
    const admin = server.value.connect();
    await admin.call('ACL', 'SETUSER', 'reader', 'on', '>pw', '~*', '+@read', '+info', '-evalsha');
    const url = `redis://reader:pw@127.0.0.1:${proxy.port}`;
    await using reader = await ready(connectRedis({ url }));
    const error = await failure(addStandardJob(reader.store, keys, JOB));
    expect(error).toMatchObject({ name: 'StoreUnavailable', mayHaveApplied: false });
    expect(String((error as Error).message)).toMatch(/NOPERM/);
    admin.disconnect();
  });

  it('does not know the password: it is never ready, and calls fail as surely not applied', async () => {
    const client = connectRedis({ url: `redis://nobody:wrong@127.0.0.1:${proxy.port}` });
    expect(await failure(client.whenReady(AbortSignal.timeout(300)))).toBeInstanceOf(Error);
    expect(await failure(client.send('PING', []))).toMatchObject({ sent: false });
    await client.close();
  });
});
