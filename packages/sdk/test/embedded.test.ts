import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, fromIoredis } from '@echomq/core/ioredis';
import { type PrivateRedis, privateRedis, startCluster, startSentinel } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedOptions, embedded, Queue, Worker } from '../src/embedded/index.js';
import { next } from './places.js';

/** Runs one job from its add to its result. */
async function runsAJob(options: EmbeddedOptions): Promise<void> {
  await using connection = embedded(options);
  const queue = new Queue<number, number>('q', { connection });
  await using worker = new Worker<number, number>('q', (job) => job.data * 2, { connection });
  const completed = next(worker, 'completed');
  await queue.add('x', 21);
  expect((await completed)[1]).toBe(42);
}

/** A server for the running test. */
async function server(options: Parameters<typeof privateRedis>[0]): Promise<PrivateRedis> {
  const redis = await privateRedis(options);
  onTestFinished(() => redis.stop());
  return redis;
}

describe('embedded works with', () => {
  it('redis://, and a database of its own', async () => {
    const redis = await server({});
    await runsAJob({ redis: redis.url });
    await runsAJob({ redis: { url: `${redis.url}/3` }, prefix: 'other' });
    const third = redis.connect({ db: 3 });
    expect(await third.exists('other:q:meta')).toBe(1);
  });

  it('a unix socket', async () => {
    await runsAJob({ redis: (await server({ socket: true })).url });
  });

  it('rediss:// and certificates of both sides', async () => {
    const redis = await server({ tls: 'mutual' });
    const { ca, clientCert, clientKey } = redis.tls ?? {};
    const url = redis.url.replace('127.0.0.1', 'localhost');
    if (ca === undefined || clientCert === undefined || clientKey === undefined) {
      throw new Error('no certificates');
    }
    await runsAJob({ redis: { url, tls: { ca, cert: clientCert, key: clientKey } } });
  });

  it('a user of the access control list, and a password from a file', async () => {
    const redis = await server({
      users: { app: { password: 'secret', rules: ['~*', '&*', '+@all'] } },
    });
    await runsAJob({ redis: { url: redis.url, username: 'app', password: 'secret' } });
    const folder = mkdtempSync(join(tmpdir(), 'echomq-password-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'secret\n');
    await runsAJob({ redis: { url: redis.url, username: 'app', passwordFile } });
  });

  it('a client of the caller, which stays open', async () => {
    const redis = await server({});
    const own = connectRedis({ url: redis.url });
    onTestFinished(() => own.close());
    await runsAJob({ redis: own });
    expect(await own.send('PING', [])).toEqual(Buffer.from('PONG'));
    const theirs = fromIoredis(redis.connect());
    onTestFinished(() => theirs.close());
    await runsAJob({ redis: theirs });
  });

  it('a primary that a sentinel names', async () => {
    const sentinel = await startSentinel();
    onTestFinished(() => sentinel.stop());
    const url = `redis+sentinel://127.0.0.1:${sentinel.sentinel.port}/${sentinel.name}`;
    await runsAJob({ redis: url });
  });

  it('a cluster', async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    await runsAJob({
      redis: `redis+cluster://${cluster.nodes.map((node) => `127.0.0.1:${node.port}`).join(',')}`,
    });
  });
});

describe('embedded refuses', () => {
  it.each([
    ['nothing', undefined],
    ['a number', 7],
  ])('%s instead of a Redis', (_what, redis) => {
    expect(() => embedded({ redis: redis as never })).toThrow(
      expect.objectContaining({ field: 'redis' }),
    );
  });

  it('a prefix that voids hash tags, and keeps no link', () => {
    const options = { redis: 'redis://127.0.0.1:1', prefix: 'a{}b' };
    expect(() => embedded(options)).toThrow(/^prefix: .*\{\}/);
  });

  it('a URL that is none', () => {
    expect(() => embedded({ redis: 'http://localhost' })).toThrow();
  });
});
