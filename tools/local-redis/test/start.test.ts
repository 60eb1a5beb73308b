import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, startLocalRedis } from '../src/index.js';
import { alive, ask } from './ping.js';

/** A temporary folder of this file's own, so that what is left behind can be seen. */
let tmp: string;
const tmpBefore = process.env.TMPDIR;
beforeAll(() => {
  tmp = mkdtempSync(join(tmpdir(), 'echomq-start-'));
  process.env.TMPDIR = tmp;
});
afterAll(() => {
  if (tmpBefore === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = tmpBefore;
  expect(readdirSync(tmp)).toEqual([]);
  rmSync(tmp, { recursive: true });
});

describe('startLocalRedis', () => {
  it('runs on a free loopback port with its append-only file, and leaves nothing', async () => {
    const server = await startLocalRedis();
    expect(server.url).toBe(`redis://127.0.0.1:${server.port}`);
    expect(await ask(server, 'PING')).toBe('+PONG');
    expect(await ask(server, 'CONFIG GET appendonly')).toContain('yes');
    expect(await ask(server, 'CONFIG GET appendfsync')).toContain('everysec');
    expect(await ask(server, 'CONFIG GET bind')).toContain('127.0.0.1');
    expect(await ask(server, 'INFO server')).toContain(`process_id:${server.pid}\r\n`);
    await server.stop();
    await server.stop();
    expect(await alive(server.pid)).toBe(false);
    expect(existsSync(server.folder)).toBe(false);
  });

  it('runs on a unix socket, on no port', async () => {
    await using server = await startLocalRedis({ socket: true, persistence: 'none' });
    expect(server.url).toBe(`unix://${server.folder}/redis.sock`);
    expect(server.port).toBeUndefined();
    expect(await ask(server, 'PING')).toBe('+PONG');
    expect(await ask(server, 'CONFIG GET appendonly')).toContain('no');
    expect(await ask(server, 'CONFIG GET port')).toMatch(/\$1\r\n0$/);
  });

  it('keeps data in a folder that is the caller’s, over a SIGKILL', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-mine-'));
    const port = await freePort();
    const first = await startLocalRedis({ folder, port });
    expect(await ask(first, 'SET kept 1')).toBe('+OK');
    first.kill('SIGKILL');
    await first.ended;
    const second = await startLocalRedis({ folder, port });
    expect(await ask(second, 'GET kept')).toBe('$1\r\n1');
    await second.stop();
    expect(readdirSync(folder)).toContain('redis.log');
    rmSync(folder, { recursive: true });
  });

  it('passes arguments on, which win', async () => {
    await using server = await startLocalRedis({ args: ['--maxmemory', '12345678'] });
    expect(await ask(server, 'CONFIG GET maxmemory')).toContain('12345678');
  });

  it('stops a server that is frozen', async () => {
    const server = await startLocalRedis();
    server.kill('SIGSTOP');
    await server.stop();
    expect(await alive(server.pid)).toBe(false);
  });

  it('says why a server did not start, and leaves nothing', async () => {
    await expect(startLocalRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow(
      /did not start:[\s\S]*no-such-option/,
    );
    await expect(startLocalRedis({ binary: '/absent/redis-server' })).rejects.toThrow(
      /\/absent\/redis-server did not start/,
    );
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('refuses a port that is taken', async () => {
    const stranger = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
    await expect(startLocalRedis({ port })).rejects.toThrow(/already in use/i);
    await new Promise((resolve) => stranger.close(resolve));
  });

  it('refuses a socket path that no system takes', async () => {
    await expect(startLocalRedis({ socket: `/tmp/${'x'.repeat(120)}` })).rejects.toThrow(
      /103 bytes/,
    );
  });
});
