import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, spawnNode } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cliMain, useCli } from './use-cli.js';

const cli = useCli(['--stalled-interval-ms=500']);

/** `echomq work` as a process. */
function startWork(queue: string, exec: string, more: readonly string[] = []) {
  const args = ['work', queue, '--exec', exec, '--address', cli.address, ...more];
  return spawnNode(cliMain, { args, ready: /works on/ });
}

function ended(queue: ReturnType<typeof cli.queue>, id: string) {
  return eventually(async () => {
    const job = await queue.getJob(id);
    expect(job?.finishedOn).toBeTypeOf('number');
    return job;
  }, 10_000);
}

/** A file that commands write into. */
function notes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'notes');
}

const alive = (pid: number) => existsSync(`/proc/${pid}`);

describe('echomq work', () => {
  it('hands the payload in, takes the result out, and fails with the end of the error stream', async () => {
    const queue = cli.queue();
    const exec =
      'case $ECHOMQ_JOB_NAME in ' +
      'json) cat;; text) echo "  hello $ECHOMQ_JOB_ID"; echo;; none) cat >/dev/null;; ' +
      'deaf) exec <&-; echo 1;; *) echo first >&2; echo "it is broken" >&2; exit 3;; esac';
    const [json, text, none, deaf, bad] = await queue.addBulk([
      { name: 'json', data: { a: ['ü', 1] } },
      { name: 'text', data: {} },
      { name: 'none', data: {} },
      { name: 'deaf', data: 'x'.repeat(300_000) },
      { name: 'bad', data: {}, opts: { attempts: 1 } },
    ]);
    await startWork(queue.name, exec, ['--concurrency', '3']);
    expect(await ended(queue, json?.id ?? '')).toMatchObject({ returnvalue: { a: ['ü', 1] } });
    expect((await ended(queue, text?.id ?? ''))?.returnvalue).toBe(`  hello ${text?.id}`);
    expect(await ended(queue, none?.id ?? '')).toMatchObject({ state: 'completed' });
    expect(await ended(queue, deaf?.id ?? '')).toMatchObject({ returnvalue: 1 });
    expect(await ended(queue, bad?.id ?? '')).toMatchObject({
      state: 'failed',
      failedReason: 'exit code 3: first\nit is broken',
    });
  });

  it('runs so many at once', async () => {
    const queue = cli.queue();
    const file = notes();
    // Each waits until three have begun: with fewer at once none would end.
    const exec = `echo . >> ${file}; while [ "$(wc -l < ${file})" -lt 3 ]; do sleep 0.05; done`;
    const jobs = await queue.addBulk([1, 2, 3].map((n) => ({ name: 'n', data: { n } })));
    await startWork(queue.name, exec, ['--concurrency', '3']);
    for (const { id } of jobs) expect(await ended(queue, id)).toMatchObject({ state: 'completed' });
  });

  it('kills the command and all that it started when the job is taken away', async () => {
    const queue = cli.queue();
    const file = notes();
    const exec = `sleep 600 & echo "$$ $!" > ${file}; wait`;
    const { id } = await queue.add('long', {});
    const worker = await startWork(queue.name, exec);
    const pids = await eventually(() => {
      const found = existsSync(file)
        ? readFileSync(file, 'utf8').trim().split(' ').map(Number)
        : [];
      expect(found).toHaveLength(2);
      return found;
    }, 10_000);
    expect(pids.every(alive)).toBe(true);
    await queue.cancel(id, { force: true });
    await eventually(() => expect(pids.some(alive)).toBe(false), 10_000);
    worker.kill('SIGTERM');
    expect(await worker.exit.wait()).toEqual({ code: 0, signal: null });
    expect(await queue.getJob(id)).toMatchObject({ state: 'failed' });
  });

  it('lets commands end at the first signal, and gives back what takes too long', async () => {
    const queue = cli.queue();
    const file = notes();
    await queue.add('slow', {});
    const worker = await startWork(queue.name, `echo $$ > ${file}; exec sleep 600`, [
      ...['--grace', '200ms', '--json'],
    ]);
    await eventually(() => expect(existsSync(file)).toBe(true), 10_000);
    worker.kill('SIGTERM');
    expect(await worker.exit.wait()).toEqual({ code: 0, signal: null });
    const pid = Number(readFileSync(file, 'utf8'));
    await eventually(() => expect(alive(pid)).toBe(false), 10_000);
    await eventually(async () => expect(await queue.getJobState('1')).toBe('waiting'), 10_000);
  });

  it('ends in good order when the reader of its output is gone', async () => {
    const queue = cli.queue();
    const file = notes();
    const exec = `case $ECHOMQ_JOB_NAME in long) echo $$ > ${file}; exec sleep 60;; *) echo 1;; esac`;
    const line = ['work', queue.name, '--exec', exec, '--concurrency', '2', '--grace', '100ms'];
    const args = [cliMain, ...line, '--address', cli.address];
    const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const exit = new Promise((resolve) => worker.once('exit', resolve));
    await queue.add('long', {});
    await eventually(() => expect(existsSync(file)).toBe(true), 10_000);
    worker.stdout.destroy();
    await queue.add('short', {});
    expect(await exit).toBe(0);
    expect(alive(Number(readFileSync(file, 'utf8')))).toBe(false);
    expect(await queue.getJobState('1')).toBe('waiting');
  });
});
