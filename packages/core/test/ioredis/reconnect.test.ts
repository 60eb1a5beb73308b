import { privateRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { retryStrategy } from '../../src/ioredis/connect.js';
import { connectRedis } from '../../src/ioredis/index.js';

describe('the pauses between attempts to connect', () => {
  it.each([1, 50, 200, 500, 900, 1_000])('after an outage of %i ms end soon', (outage) => {
    let [at, times] = [0, 0];
    while (at < outage) at += retryStrategy(++times);
    expect(at - outage).toBeLessThanOrEqual(100);
  });

  it('grow to 1 s, and are few in an outage that lasts', () => {
    const pauses = Array.from({ length: 100 }, (_, at) => retryStrategy(at + 1));
    expect(pauses.every((pause, at) => at === 0 || pause >= (pauses[at - 1] as number))).toBe(true);
    expect(pauses.at(-1)).toBe(1_000);
    let [at, times] = [0, 0];
    while (at < 60_000) at += retryStrategy(++times);
    expect(times).toBeLessThan(80);
  });
});

describe('a primary that is demoted', () => {
  it('is left once, however many commands it refuses, and found again', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error) => warnings.push(name);
    process.on('warning', warn);
    await using server = await privateRedis();
    const client = connectRedis({ url: server.url });
    await client.whenReady(AbortSignal.timeout(10_000));
    const admin = server.connect();
    await admin.replicaof('127.0.0.1', 1);
    const write = (at: number) => client.send('SET', [`k${at}`, 'v']);
    const sent = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => write(at)));
    expect(sent.every(({ status }) => status === 'rejected')).toBe(true);
    await admin.replicaof('NO', 'ONE');
    await client.whenReady(AbortSignal.timeout(10_000));
    const answer = () => write(0).then(String, () => 'refused');
    await expect.poll(answer, { timeout: 10_000 }).toBe('OK');
    expect(await admin.get('k0')).toBe('v');
    expect(warnings).toEqual([]);
    process.off('warning', warn);
    await client.close();
  });
});
