import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate } from '../src/generate.js';
import { GOOD, makeRoot } from './fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'lua-bundle-redis-'));
const socket = join(folder, 'redis.sock');
let server: ChildProcess;

beforeAll(async () => {
  const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder];
  server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!server.stdout) throw new Error('redis-server has no output');
  const lines = createInterface(server.stdout);
  for await (const line of lines) if (line.includes('eady to accept connections')) break;
  // Goes on reading, so that the server never waits for its own log.
  server.stdout.resume();
});

afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

/** Runs redis-cli against the private server; `input` becomes the last argument. */
function redis(args: readonly string[], input?: string): string {
  const extra = input === undefined ? [] : ['-x'];
  const options = { encoding: 'utf8', ...(input === undefined ? {} : { input }) } as const;
  return execFileSync('redis-cli', ['-s', socket, ...extra, ...args], options).trim();
}

test('Redis loads every bundle under the SHA that was generated', () => {
  const { files } = generate(makeRoot(GOOD));
  const scripts = files.get('lua/gen/scripts.ts') ?? '';
  const bundles = [...files].filter(([path]) => path.startsWith('lua/dist/'));
  expect(bundles).toHaveLength(3);
  for (const [, source] of bundles) {
    expect(scripts).toContain(`sha: '${redis(['SCRIPT', 'LOAD'], source)}'`);
  }
});

test('a bundle runs: libs, keys and arguments are in place', () => {
  const { files } = generate(makeRoot(GOOD));
  const sha = redis(['SCRIPT', 'LOAD'], files.get('lua/dist/dropJob-1.lua'));
  const drop = (token: string, force: string) => redis(['EVALSHA', sha, '1', 'job', token, force]);
  expect(drop('token', '0')).toBe('-1');
  redis(['HSET', 'job', 'name', 'n']);
  redis(['SET', 'job:lock', 'token']);
  expect(drop('other', '0')).toBe('-2');
  expect(drop('token', '0')).toBe('1');
  expect(redis(['KEYS', '*'])).toBe('job:lock');
});
