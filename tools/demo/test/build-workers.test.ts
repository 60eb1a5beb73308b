import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildWorkers } from '../src/build-workers.js';

/** A builder of this text; `name` is the language, `file(x)` a path beside it. */
function builder(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-demo-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'build.mjs');
  writeFileSync(
    script,
    `import * as fs from 'node:fs'; import { spawnSync } from 'node:child_process';
    const name = process.argv[2]; const file = (x) => ${JSON.stringify(folder)} + '/' + x;
    const until = async (x) => { while (!fs.existsSync(file(x))) await new Promise((r) => setTimeout(r, 20)); };
    ${text}`,
  );
  return { folder, builder: { script, tellEveryMs: 50 } };
}

function around() {
  const abort = new AbortController();
  const said: string[] = [];
  const say = (line: string) => void said.push(line.replace(/\d+ s/, 'N s'));
  return { abort, said, ports: { env: process.env, say, signal: abort.signal } };
}

describe('buildWorkers', () => {
  it('builds side by side, each language once, and says who is still built', async () => {
    const { said, ports } = around();
    // Each waits for the other to have begun; the second one until a line has told of it.
    const { builder: it, folder } = builder(`
      fs.writeFileSync(file(name), '');
      await until(name === 'a' ? 'b' : 'a');
      if (name === 'b') await until('told');
    `);
    const say = (line: string) => {
      ports.say(line);
      if (/still building b$/.test(line)) writeFileSync(join(folder, 'told'), '');
    };
    await buildWorkers(['ts', 'a', 'b', 'a'], { ...ports, say }, it);
    expect(said[0]).toBe('Building the workers in a, b: minutes the first time, seconds then');
    expect(said.filter((line) => /built/.test(line))).toEqual([
      '  N s: a is built',
      '  N s: b is built',
    ]);
    expect(said).toContain('  N s: still building b');
  });

  it('says nothing where nothing is to be built', async () => {
    const { said, ports } = around();
    await buildWorkers(['ts'], ports);
    expect(said).toEqual([]);
  });

  it('names each language that has no program, and why', async () => {
    const { said, ports } = around();
    const { builder: it } = builder(`
      if (name !== 'c') { console.error('no tools for ' + name); process.exitCode = 1; }
    `);
    await expect(buildWorkers(['a', 'b', 'c'], ports, it)).rejects.toThrow(
      /the worker in [ab]: no tools for [ab]\n {2}the worker in [ab]: no tools for [ab]$/,
    );
    expect(said).toContain('  N s: c is built');
    expect(said).toContain('  N s: a cannot be built');
  });

  it('a language without a sample is refused by the script itself', async () => {
    const { ports } = around();
    await expect(buildWorkers(['cobol'], ports)).rejects.toThrow(
      'the worker in cobol: there is no such worker',
    );
  });

  it('ends the build and its compiler when the run is aborted', async () => {
    const { abort, ports } = around();
    const { builder: it, folder } = builder(`
      spawnSync('sh', ['-c', 'echo $$ >"$0.part" && mv "$0.part" "$0" && exec sleep 600', file('compiler')]);
    `);
    const building = buildWorkers(['a'], ports, it);
    const aborted = expect(building).rejects.toThrow('enough');
    const compiler = join(folder, 'compiler');
    await eventually(() => expect(existsSync(compiler)).toBe(true), 20_000);
    abort.abort(new Error('enough'));
    await aborted;
    const pid = Number(readFileSync(compiler, 'utf8'));
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000);
  });
});
