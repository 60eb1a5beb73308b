import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { stillOpen } from '../src/leaks/registry.js';
import { spawnNode } from '../src/processes/spawn-node.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url));

afterAll(() => expect(stillOpen()).toEqual([]));

describe('spawnNode', () => {
  it('waits for the ready line and hands arguments and environment on', async () => {
    const child = await spawnNode(fixture('counter'), {
      args: ['a', 'b'],
      env: { GREETING: 'hello' },
      ready: /^ready/,
    });
    expect(child.readyLine).toBe('ready a b hello');
    expect(child.lines.items.slice(0, 2)).toEqual(['starting', 'ready a b hello']);
    child.kill();
    expect(await child.exit.wait()).toEqual({ code: 7, signal: null });
  });

  it('takes the first line for the ready line where none is named', async () => {
    const child = await spawnNode(fixture('counter'));
    expect(child.readyLine).toBe('starting');
    await child.stop();
    expect(await child.exit.wait()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('freezes and thaws', async () => {
    const child = await spawnNode(fixture('counter'), { ready: /^count/ });
    child.pause();
    // What was in the pipe still comes.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const frozen = child.lines.items.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(child.lines.items).toHaveLength(frozen);
    child.resume();
    await child.lines.waitFor(frozen + 2);
  });

  it('says what a process wrote that never was ready', async () => {
    await expect(spawnNode(fixture('broken'), { ready: /^ready/ })).rejects.toThrow(
      /broken\.mjs ended before it was ready; it wrote:\nno configuration/,
    );
    await expect(
      spawnNode(fixture('counter'), { ready: /^never/, readyLimitMs: 300 }),
    ).rejects.toThrow(/did not come within 300 ms; it wrote:\nstarting/);
  });

  it('ends with the test that started it', async () => {
    await spawnNode(fixture('counter'));
    // The file's afterAll sees that nothing is open.
  });
});
