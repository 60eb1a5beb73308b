import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { spawnGuarded } from '../src/guarded.js';
import type { LocalRedis } from '../src/index.js';
import { alive, ask } from './ping.js';

type Started = Pick<LocalRedis, 'pid' | 'folder' | 'port' | 'url'>;

/** A process of its own (and of a process group of its own) that starts a server, then does more. */
async function parent(then: string): Promise<{ child: ChildProcess; server: Started }> {
  const entry = new URL('../build/index.js', import.meta.url).href;
  const program = `
    import { startLocalRedis } from ${JSON.stringify(entry)};
    process.on('SIGINT', () => console.log('heard'));
    const { pid, folder, port, url } = await startLocalRedis();
    console.log(JSON.stringify({ pid, folder, port, url }));
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return { child, server: JSON.parse(String(line)) };
}

/** Waits until neither the server nor its folder is there. */
async function gone(server: Started): Promise<void> {
  for (const limit = Date.now() + 5_000; Date.now() < limit; await sleep(20)) {
    if (!(await alive(server.pid)) && !existsSync(server.folder)) return;
  }
  throw new Error(`the server ${server.pid} or its folder ${server.folder} is still there`);
}

const STAY = 'setInterval(() => {}, 1000);';

describe('a guarded server', () => {
  it('ends with a parent that is killed, and its folder goes', async () => {
    const { child, server } = await parent(STAY);
    expect(await alive(server.pid)).toBe(true);
    child.kill('SIGKILL');
    await gone(server);
  });

  it('ends with a parent that exits without stopping it', async () => {
    const { server } = await parent('process.exit(3)');
    await gone(server);
  });

  it('does not keep a parent alive that has nothing more to do', async () => {
    const { child, server } = await parent('');
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    await gone(server);
  });

  it('does not hear a Ctrl-C in the terminal', async () => {
    const { child, server } = await parent(STAY);
    process.kill(-(child.pid ?? 0), 'SIGINT');
    const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    expect(String(line)).toBe('heard\n');
    expect(await ask({ ...server, socketPath: undefined }, 'PING')).toBe('+PONG');
    child.kill('SIGKILL');
    await gone(server);
  });

  it('leaves its folder when it crashes, however late its parent learns of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-crash-'));
    const child = spawnGuarded({
      ...{ binary: '/bin/sleep', args: ['100'], cwd: folder, output: 'ignore' },
      removeWithParent: folder,
    });
    // Node has closed the pipe by now; a busy machine may take this long to go on.
    child.prependOnceListener('exit', () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    });
    child.ref();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    expect(existsSync(folder)).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
