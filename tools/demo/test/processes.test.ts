import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Program, start } from '../src/processes.js';

/** A program with this text. */
function program(text: string): Program {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-demo-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'program.mjs');
  writeFileSync(script, text);
  return { name: 'it', script, args: [], env: process.env, ready: /ready (\d+)/ };
}

const never = new AbortController().signal;

describe('start', () => {
  it('waits for the ready line, and stop for an end in good order', async () => {
    const it = await start(
      program(`
        process.on('SIGTERM', () => process.exit(0));
        setInterval(() => {}, 1000);
        console.log('not yet');
        console.log('ready 7');
      `),
      never,
    );
    expect(it.readyMatch[1]).toBe('7');
    expect(it.alive()).toBe(true);
    await it.stop();
    expect(it.alive()).toBe(false);
    expect(await it.ended).toBe('exit status 0');
  });

  it('refuses with the last lines when the program ends before it is ready', async () => {
    const text = `console.error('no address'); process.exitCode = 3;`;
    await expect(start(program(text), never)).rejects.toThrow(
      'it ended before it was ready: exit status 3; it wrote:\n  no address',
    );
  });

  it('ends the program when the run is aborted before it is ready', async () => {
    const abort = new AbortController();
    const starting = start(program('setInterval(() => {}, 1000)'), abort.signal);
    abort.abort(new Error('enough'));
    await expect(starting).rejects.toThrow('enough');
  });

  it('tells of a program that does not end with status 0', async () => {
    const it = await start(
      program(`
        process.on('SIGTERM', () => { console.log('cannot'); process.exit(4); });
        setInterval(() => {}, 1000);
        console.log('ready 1');
      `),
      never,
    );
    await expect(it.stop()).rejects.toThrow('it: exit status 4; it wrote:\n  ready 1\n  cannot');
  });
});
