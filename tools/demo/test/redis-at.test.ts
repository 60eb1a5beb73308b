import { freePort } from '@echomq/local-redis';
import { useRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { maskPassword, reach } from '../src/redis-at.js';

const redis = useRedis({ password: 'open sesame', socket: true });

describe('reach', () => {
  it('reaches a unix socket with the password of the URL', async () => {
    const url = redis.server.url.replace('unix://', 'unix://:open%20sesame@');
    const reached = await reach(url, {});
    expect(reached.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await reached.redis.ping()).toBe('PONG');
    reached.redis.disconnect();
  });

  it('says that nobody answers, and repeats no password', async () => {
    const url = `redis://ada:secret@127.0.0.1:${await freePort()}/3`;
    const refused = reach(url, {});
    await expect(refused).rejects.toThrow(/redis:\/\/ada:\*\*\*@127\.0\.0\.1.*ECONNREFUSED/);
    await expect(refused).rejects.not.toThrow('secret');
  });

  it('says that the password is wrong', async () => {
    const url = redis.server.url.replace('unix://', 'unix://:wrong@');
    await expect(reach(url, {})).rejects.toThrow('WRONGPASS');
  });

  it('refuses an address that it could not read by itself', async () => {
    await expect(reach('redis+cluster://10.0.0.1:7000', {})).rejects.toThrow(
      'takes redis://, rediss:// and unix://',
    );
  });
});

describe('maskPassword', () => {
  it('leaves an address without one alone', () => {
    expect(maskPassword('redis://127.0.0.1:6379/0')).toBe('redis://127.0.0.1:6379/0');
    expect(maskPassword('unix:///run/redis.sock')).toBe('unix:///run/redis.sock');
    expect(maskPassword('redis://:p@x@host')).toBe('redis://:***@host');
  });
});
