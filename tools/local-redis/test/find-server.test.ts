import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeServer, findBinary } from '../src/find-server.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echomq-find-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a program that answers with one line. */
function program(name: string, answer: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(path, mode);
  return path;
}

describe('findBinary', () => {
  it('finds nothing on a PATH without a server', () => {
    expect(findBinary({ PATH: folder })).toBeUndefined();
    expect(findBinary({})).toBeUndefined();
  });

  it('prefers redis-server to valkey-server', () => {
    const valkey = program('valkey-server', '');
    expect(findBinary({ PATH: folder })).toBe(valkey);
    const redis = program('redis-server', '');
    expect(findBinary({ PATH: folder })).toBe(redis);
  });

  it('passes over a file that cannot be run', () => {
    program('redis-server', '', 0o644);
    // root may read and write everything, but runs only what somebody may run
    expect(findBinary({ PATH: folder })).toBeUndefined();
  });

  it('takes ECHOMQ_REDIS_SERVER, a path or a name', () => {
    const mine = program('my-redis', '');
    program('redis-server', '');
    expect(findBinary({ PATH: folder, ECHOMQ_REDIS_SERVER: mine })).toBe(mine);
    expect(findBinary({ PATH: folder, ECHOMQ_REDIS_SERVER: 'my-redis' })).toBe(mine);
  });

  it('does not fall back from an ECHOMQ_REDIS_SERVER that is wrong', () => {
    program('redis-server', '');
    const env = { PATH: folder, ECHOMQ_REDIS_SERVER: join(folder, 'absent') };
    expect(() => findBinary(env)).toThrow(/ECHOMQ_REDIS_SERVER is .*absent, which cannot be run/);
  });
});

describe('describeServer', () => {
  it('reads the version of Redis and of Valkey', async () => {
    const redis = program('a', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc bits=64');
    const valkey = program('b', 'Valkey server v=8.1.1 sha=00000000:0 malloc=libc bits=64');
    expect(await describeServer(redis)).toEqual({ binary: redis, version: '7.0.15' });
    expect(await describeServer(valkey)).toEqual({ binary: valkey, version: '8.1.1' });
  });

  it('refuses what is no server', async () => {
    await expect(describeServer(program('c', 'hello'))).rejects.toThrow(/does not look like Redis/);
  });
});
