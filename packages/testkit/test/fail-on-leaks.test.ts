import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { leaksSince } from '../src/leaks/fail-on-leaks.js';
import { openResources } from '../src/leaks/open-resources.js';
import { track } from '../src/leaks/registry.js';
import { spawnNode } from '../src/processes/spawn-node.js';
import { eventually } from '../src/signals/eventually.js';

describe('leaksSince', () => {
  it('sees a timer', async () => {
    // The runner has timers of its own now and then.
    const before = new Map([...openResources(), ['Timeout', 0] as const]);
    const timer = setTimeout(() => {}, 60_000);
    await eventually(() => expect(leaksSince(before)).toEqual(['1 × Timeout']));
    clearTimeout(timer);
    await eventually(() => expect(leaksSince(before)).toEqual([]));
  });

  it('sees a server', async () => {
    const before = openResources();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await eventually(() => expect(leaksSince(before)).toEqual(['1 × TCPServerWrap']));
    server.close();
    await eventually(() => expect(leaksSince(before)).toEqual([]));
  });

  it.runIf(process.platform === 'linux')('sees a child process that holds nobody up', async () => {
    const before = openResources();
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    child.unref();
    await eventually(() => expect(leaksSince(before)).toEqual(['1 × child process']));
    child.ref();
    child.kill('SIGKILL');
    await eventually(() => expect(leaksSince(before)).toEqual([]));
  });

  it('names what the testkit has started', async () => {
    const before = openResources();
    const untrack = track('server 4711');
    await eventually(() => expect(leaksSince(before)).toEqual(['server 4711']));
    untrack();
    await eventually(() => expect(leaksSince(before)).toEqual([]));
  });
});

describe('failOnLeaks', () => {
  it('fails a file whose tests pass', async () => {
    const root = fileURLToPath(new URL('./fixtures/leaky', import.meta.url));
    const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
    const run = await spawnNode(join(vitest, 'vitest.mjs'), {
      args: ['run', '--root', root, '--reporter', 'default'],
      env: { NO_COLOR: '1' },
      cwd: root,
    });
    expect(await run.exit.wait(20_000)).toEqual({ code: 1, signal: null });
    const said = run.lines.items.join('\n');
    expect(said).toMatch(/left behind by this file: private redis at .*1 × Timeout/);
    expect(said).toMatch(/1 passed/);
  }, 30_000);
});
