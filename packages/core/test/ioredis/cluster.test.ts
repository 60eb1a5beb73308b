import { eventually, freshQueue, startCluster, tcpProxy, useStarted } from '@echomq/testkit';
import { Cluster } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { addStandardJob, pause, QueueKeys, Store, storedQueueName } from '../../src/index.js';
import { connectRedis, fromIoredis } from '../../src/ioredis/index.js';
import type { RedisClient } from '../../src/redis-client.js';
import { callEveryBinding, EVERY_SCRIPT } from '../every-binding.js';
import { NOW, ready, testQueue } from '../use-store.js';

const cluster = useStarted(() => startCluster(3));
const JOB = { name: 'send', data: '1', opts: '{}', timestamp: NOW };
const url = () =>
  `redis+cluster://${cluster.value.urls.map((node) => node.replace('redis://', '')).join(',')}`;
const queueOf = (name: string) =>
  testQueue(freshQueue(cluster.value.connect(), { name: storedQueueName(name, 'bull', true) }));

describe('connectRedis by redis+cluster://', () => {
  it('T041 cross slot: runs every binding on queues of every node', async () => {
    await using connected = await ready(connectRedis({ url: url() }));
    const { client, store } = connected;
    expect(client.cluster).toBe(true);
    const nodes = new Set<string>();
    for (const name of ['a', 'b', 'c', 'd', 'orders', 'mails']) {
      const queue = queueOf(name);
      nodes.add(client.nodeOf(queue.keys.wait));
      expect(await callEveryBinding(store, queue.keys)).toEqual(EVERY_SCRIPT);
      expect((await queue.read()).active).toBeUndefined();
    }
    const ports = cluster.value.nodes.map(({ port }) => `127.0.0.1:${port}`);
    expect([...nodes].sort()).toEqual(ports.sort());
  });

  it('names one node for all keys of a queue, and asks every primary', async () => {
    await using connected = await ready(connectRedis({ url: url() }));
    const { client } = connected;
    const { keys } = queueOf('orders');
    const all = [keys.wait, keys.meta, keys.job('x'), keys.lock('}{'), keys.deduplication('{d}')];
    expect(new Set(all.map((key) => client.nodeOf(key))).size).toBe(1);
    const sizes = await client.eachPrimary('DBSIZE', []);
    expect(sizes).toHaveLength(3);
  });

  it('brings a body once to each node', async () => {
    await using connected = await ready(connectRedis({ url: url() }));
    const { client, store } = connected;
    await client.eachPrimary('SCRIPT', ['FLUSH']);
    await client.eachPrimary('CONFIG', ['RESETSTAT']);
    const names = Array.from({ length: 30 }, (_, at) => `q${at}`);
    await Promise.all(names.map((name) => pause(store, queueOf(name).keys)));
    const infos = await client.eachPrimary('INFO', ['commandstats']);
    const bodies = infos.map((info) => /cmdstat_eval:calls=(\d+)/.exec(String(info))?.[1]);
    expect(bodies).toEqual(['1', '1', '1']);
  });

  it('says that keys lie in several slots before anything is written', async () => {
    await using connected = await ready(connectRedis({ url: url() }));
    const loose = new QueueKeys('bull', 'loose');
    await expect(addStandardJob(connected.store, loose, JOB)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'CROSS_SLOT',
    });
  });

  it('duplicates with the same settings, and takes a client of yours', async () => {
    await using first = await ready(connectRedis({ url: url() }));
    await using second = await ready(first.client.duplicate());
    expect(second.client.cluster).toBe(true);
    const theirs = cluster.value.connect();
    await using third = await ready(fromIoredis(theirs));
    const queue = queueOf('yours');
    expect(await callEveryBinding(third.store, queue.keys)).toEqual(EVERY_SCRIPT);
    theirs.options.keyPrefix = 'app:';
    expect(() => fromIoredis(theirs)).toThrow(/keyPrefix/);
    delete theirs.options.keyPrefix;
  });
});

describe('a cluster link that breaks', () => {
  /** A store whose way to each node leads through a proxy. */
  async function proxied() {
    const proxies = await Promise.all(cluster.value.nodes.map(({ port = 0 }) => tcpProxy(port)));
    const natMap = Object.fromEntries(
      cluster.value.nodes.map(({ port }, at) => [
        `127.0.0.1:${port}`,
        { host: '127.0.0.1', port: proxies[at]?.port ?? 0 },
      ]),
    );
    const startup = proxies.map(({ port }) => ({ host: '127.0.0.1', port }));
    const theirs = new Cluster(startup, { natMap, lazyConnect: true });
    const client: RedisClient = fromIoredis(theirs);
    await client.whenReady(AbortSignal.timeout(10_000));
    return {
      client,
      store: new Store(client),
      proxies,
      async [Symbol.asyncDispose]() {
        await client.close();
        theirs.disconnect();
        await Promise.all(proxies.map((proxy) => proxy.stop()));
      },
    };
  }

  it('fails a call under way with an unknown outcome, and never sends it again', async () => {
    await using way = await proxied();
    const { keys } = queueOf(`cut${Date.now()}`);
    await addStandardJob(way.store, keys, JOB);
    const admin = cluster.value.connect();
    for (const proxy of way.proxies) proxy.pause('toClient');
    const call = addStandardJob(way.store, keys, JOB).catch((error: unknown) => error);
    await eventually(async () => expect(await admin.get(keys.id)).toBe('2'));
    for (const proxy of way.proxies) proxy.cut();
    for (const proxy of way.proxies) proxy.resume();

    expect(await call).toMatchObject({ name: 'StoreUnavailable', mayHaveApplied: true });

    // A call that works comes after whatever the client might have sent again.
    const later = await eventually(() => addStandardJob(way.store, keys, JOB), 10_000);
    expect(later.jobId).toBe('3');
    expect(await admin.get(keys.id)).toBe('3');
  });

  it('refuses calls to a node that cannot be reached as surely not applied; others go on', async () => {
    await using way = await proxied();
    const names = Array.from({ length: 12 }, (_, at) => `r${at}`);
    const keysOf = (name: string) => queueOf(name).keys;
    for (const name of names) await pause(way.store, keysOf(name));
    const [dead] = way.proxies;
    const deadNode = `127.0.0.1:${dead?.port}`;
    const dying = new Set(
      names.filter((name) => way.client.nodeOf(keysOf(name).wait) === deadNode),
    );
    dead?.refuse();
    dead?.cut();
    const outcomes = await eventually(async () => {
      const tried = await Promise.allSettled(names.map((name) => pause(way.store, keysOf(name))));
      const failed = tried.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 0));
      expect(failed.filter((reason) => reason !== 0).length).toBeGreaterThan(0);
      for (const reason of failed) if (reason) expect(reason.mayHaveApplied).toBe(false);
      return tried;
    }, 10_000);
    for (const [at, name] of names.entries()) {
      expect(outcomes[at]?.status).toBe(dying.has(name) ? 'rejected' : 'fulfilled');
    }
    await dead?.accept();
    await eventually(async () => {
      for (const name of names) await pause(way.store, keysOf(name));
    }, 10_000);
  });
});
