import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stillOpen } from '../src/leaks/registry.js';
import { privateRedis } from '../src/servers/private-redis.js';
import { serverSpeaksTls } from '../src/servers/server-speaks-tls.js';

const hasTls = await serverSpeaksTls();

describe('privateRedis', () => {
  it('runs until it is stopped', async () => {
    const server = await privateRedis();
    const client = server.connect();
    expect(await client.ping()).toBe('PONG');
    expect(stillOpen()).toEqual([`private redis at ${server.url}`]);
    await server.stop();
    expect(stillOpen()).toEqual([]);
    expect(existsSync(server.folder)).toBe(false);
    await expect(client.ping()).rejects.toThrow();
  });

  it.each([{ socket: true }, {}])(
    'crashes and comes back at the same address: %o',
    async (where) => {
      await using server = await privateRedis({ ...where, persistence: 'aof' });
      const { url, pid } = server;
      const client = server.connect();
      await client.set('kept', '1');
      await server.crash();
      await server.restart();
      expect(server.pid).not.toBe(pid);
      expect(server.url).toBe(url);
      expect(await client.get('kept')).toBe('1');
      await server.stop();
      expect(existsSync(server.folder)).toBe(false);
    },
  );

  it('asks for a password', async () => {
    await using server = await privateRedis({ socket: true, password: 'secret' });
    expect(await server.connect().ping()).toBe('PONG');
    const stranger = server.connect({ password: 'wrong', retryStrategy: () => null });
    await expect(stranger.ping()).rejects.toThrow();
  });

  it('knows users and their rules', async () => {
    await using server = await privateRedis({
      socket: true,
      users: {
        reader: { password: 'r', rules: ['~bull:*', '+@read', '+ping', '+hello', '+info'] },
      },
    });
    const reader = server.connect({ username: 'reader', password: 'r' });
    expect(await reader.get('bull:q:id')).toBeNull();
    await expect(reader.set('bull:q:id', '1')).rejects.toThrow(/NOPERM/);
    await expect(reader.get('other')).rejects.toThrow(/NOPERM/);
  });

  it.runIf(hasTls)('speaks TLS with certificates of its own', async () => {
    await using server = await privateRedis({ tls: 'mutual' });
    expect(server.url).toBe(`rediss://127.0.0.1:${server.port}`);
    expect(await server.connect().ping()).toBe('PONG');
    const options = { tls: { ca: server.tls?.caText ?? '' }, retryStrategy: () => null };
    await expect(server.connect(options).ping()).rejects.toThrow();
  });
});
