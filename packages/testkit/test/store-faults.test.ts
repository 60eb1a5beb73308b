import { describe, expect, it } from 'vitest';
import { storeFaults } from '../src/faults/store-faults.js';
import { useRedis } from '../src/servers/use-redis.js';

const redis = useRedis();
const faults = () => storeFaults(redis.client);

describe('storeFaults', () => {
  it('forgets scripts', async () => {
    const sha = String(await redis.client.script('LOAD', 'return 1'));
    await faults().flushScripts();
    await expect(redis.client.evalsha(sha, 0)).rejects.toThrow(/NOSCRIPT/);
  });

  it('breaks the connections of others', async () => {
    const other = redis.connect({ retryStrategy: () => null });
    await other.ping();
    const blocked = other.blpop('nothing', 0);
    const broken = expect(blocked).rejects.toThrow();
    expect(await faults().killClients()).toBeGreaterThan(0);
    await broken;
    expect(await redis.client.ping()).toBe('PONG');
  });

  it('holds writes and lets them go', async () => {
    const other = redis.connect();
    await other.ping();
    await faults().pauseClients(60_000, 'WRITE');
    const order: string[] = [];
    const write = other.set('held', '1').then(() => order.push('written'));
    expect(await redis.client.get('held')).toBeNull();
    order.push('let go');
    await faults().unpauseClients();
    await write;
    expect(order).toEqual(['let go', 'written']);
  });

  it('is full until it is drained', async () => {
    await faults().fill();
    await expect(redis.client.set('big', 'x'.repeat(100_000))).rejects.toThrow(/OOM/);
    await faults().drain();
    expect(await redis.client.set('big', 'x'.repeat(100_000))).toBe('OK');
  });

  it('is read-only until it is promoted', async () => {
    await faults().demote();
    await expect(redis.client.set('a', '1')).rejects.toThrow(/READONLY/);
    await faults().promote();
    expect(await redis.client.set('a', '1')).toBe('OK');
  });

  it('knows users', async () => {
    await faults().setUser('reader', 'secret', ['~bull:*', '+get']);
    const reader = redis.connect({
      username: 'reader',
      password: 'secret',
      enableReadyCheck: false,
    });
    expect(await reader.get('bull:x')).toBeNull();
    await expect(reader.set('bull:x', '1')).rejects.toThrow(/NOPERM/);
  });
});
