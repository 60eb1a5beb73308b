import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@echomq/sdk';
import { eventually } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { useCli } from './use-cli.js';

const cli = useCli();

/** A queue with a job that has failed. */
async function withFailed(count = 1) {
  const queue = cli.queue();
  for (let n = 0; n < count; n += 1) await queue.add('doomed', { n });
  const worker = new Worker(
    queue.name,
    () => {
      throw new Error('no');
    },
    { connection: cli.connection, concurrency: 10 },
  );
  await eventually(async () => expect(await queue.getFailedCount()).toBe(count));
  await worker.close();
  return queue;
}

describe('what an operator does', () => {
  it('pauses and resumes, drains only when sure', async () => {
    const queue = cli.queue();
    await queue.add('a', {});
    expect(await cli.echomq(['pause', queue.name])).toMatchObject({ out: `${queue.name} paused` });
    expect(await queue.isPaused()).toBe(true);
    expect((await cli.echomq(['resume', queue.name, '--json'])).values).toEqual([
      { queue: queue.name, done: 'resumed' },
    ]);
    const unsure = await cli.echomq(['drain', queue.name]);
    expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') });
    const asked = (input: string) => cli.echomq(['drain', queue.name], { input, isAttended: true });
    expect(await asked('n\n')).toMatchObject({ code: 2, err: expect.stringContaining('[y/N]') });
    // The input ends, as at Ctrl-D.
    expect(await asked('')).toMatchObject({ code: 130, err: expect.stringContaining('nothing') });
    expect(await queue.getWaitingCount()).toBe(1);
    expect(await asked('yes\n')).toMatchObject({ code: 0, out: '1 jobs removed' });
    await queue.add('a', {});
    expect(await cli.echomq(['drain', queue.name, '--yes'])).toMatchObject({
      out: '1 jobs removed',
    });
    expect(await queue.getWaitingCount()).toBe(0);
  });

  it('retries by id and all, tells of each that cannot be, and cleans', async () => {
    const queue = await withFailed(3);
    const some = await cli.echomq(['retry', queue.name, '1', 'nobody', '2', '--json']);
    expect(some.code).toBe(3);
    expect(some.values).toEqual([
      { id: '1', done: 'ready' },
      { id: '2', done: 'ready' },
    ]);
    expect(JSON.parse(some.err)).toMatchObject({
      error: { reason: 'JOB_NOT_FOUND', code: 'NOT_FOUND', advice: expect.any(String) },
    });
    expect((await cli.echomq(['retry', queue.name])).code).toBe(2);
    expect(await cli.echomq(['retry', queue.name, '--all'])).toMatchObject({ out: '1 jobs ready' });
    const wrong = await cli.echomq(['retry', queue.name, '1']);
    expect(wrong).toMatchObject({ code: 6, err: expect.stringContaining('(JOB_NOT_IN_STATE)') });
    const other = await withFailed(2);
    const cleaned = ['clean', other.name, '--state', 'failed', '--older-than', '0ms', '--json'];
    expect((await cli.echomq(cleaned)).values).toEqual([{ queue: other.name, removed: 2 }]);
  });

  it('removes', async () => {
    const queue = cli.queue();
    await queue.add('a', {});
    expect(await cli.echomq(['remove', queue.name, '1', '2'])).toMatchObject({
      code: 3,
      out: '1 removed',
      err: expect.stringContaining('there is no job 2'),
    });
    expect(await queue.getJob('1')).toBeUndefined();
  });

  it('sets, lists, previews and removes schedulers', async () => {
    const { name } = cli.queue();
    const set = ['schedulers', 'set', name, 'nightly', '{"a":1}', '--pattern', '0 3 * * *'];
    expect((await cli.echomq(set)).out).toMatch(/^nightly runs next at .*T03:00:00/);
    const listed = await cli.echomq(['schedulers', name]);
    expect(listed.out.split('\n')[1]).toMatch(/^nightly +nightly +0 3 \* \* \* +\S+T03:00/);
    expect((await cli.echomq(['schedulers', 'list', name, '--json'])).values).toMatchObject([
      { key: 'nightly', pattern: '0 3 * * *', template: { data: { a: 1 } } },
    ]);
    const wrong = ['schedulers', 'set', name, 'x', '--pattern', 'never'];
    expect(await cli.echomq(wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining('A rule has five fields'),
    });
    const preview = ['schedulers', 'preview', '--every', '1h', '--count', '2', '--json'];
    expect((await cli.echomq(preview)).values).toHaveLength(2);
    expect((await cli.echomq(['schedulers', 'remove', name, 'nightly'])).code).toBe(0);
    expect((await cli.echomq(['schedulers', 'remove', name, 'nightly'])).code).toBe(3);
  });

  it('shows the events that are kept, and follows', async () => {
    const queue = cli.queue();
    await queue.add('a', {});
    const kept = await cli.echomq(['events', queue.name, '--json']);
    expect(kept.values).toMatchObject([
      { event: 'added', jobId: '1', name: 'a' },
      { event: 'waiting', jobId: '1' },
    ]);
    const stop = new AbortController();
    const following = cli.echomq(['events', queue.name, '--follow', '--types', 'paused'], {
      interrupted: stop.signal,
    });
    await sleep(500);
    await queue.pause();
    await sleep(500);
    stop.abort();
    expect(await following).toMatchObject({ code: 130, out: expect.stringMatching(/ paused$/) });
  });

  it('does not take a gateway that is away for a queue without events', async () => {
    const away = await cli.echomq(['events', 'q', '--json'], {
      env: { ECHOMQ_ADDRESS: '127.0.0.1:1' },
    });
    expect(away).toMatchObject({ code: 4, out: '' });
    expect(JSON.parse(away.err).error).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    const none = await cli.echomq(['events', cli.queue().name]);
    expect(none).toMatchObject({ code: 0, out: '', err: '' });
  });

  it('measures a little, and leaves no queue behind', async () => {
    const ran = await cli.echomq(['bench', '--jobs', '50', '--concurrency', '5', '--json']);
    expect(ran.code).toBe(0);
    expect(ran.values).toEqual([
      {
        ...{ jobs: 50, concurrency: 5, bytes: 100 },
        addedPerSecond: expect.any(Number),
        donePerSecond: expect.any(Number),
      },
    ]);
    const { client } = cli.redis;
    const left = (await client.keys('*echomq-bench*')).filter(
      // A sweep that was under way notes its time, as every sweep does, and that note goes by itself.
      (key) => !key.endsWith(':stalled-check'),
    );
    expect(left).toEqual([]);
    for (const key of await client.keys('*echomq-bench*')) {
      expect(await client.pttl(key)).not.toBe(-1);
    }
  });

  it('finds what is broken, mends it, and says so with its exit code', async () => {
    const queue = cli.queue();
    await queue.add('a', {});
    const args = ['doctor', queue.name, '--settle', '10ms'];
    expect(await cli.echomq(args)).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing is broken'),
    });
    await cli.redis.client.lpush(`bull:${queue.name}:wait`, 'ghost');
    const found = await cli.echomq([...args, '--json']);
    expect(found.code).toBe(7);
    expect(found.values).toMatchObject([
      { queue: queue.name, kind: 'job-missing', subject: 'ghost', why: expect.any(String) },
    ]);
    const mended = await cli.echomq([...args, '--repair']);
    expect(mended).toMatchObject({
      code: 0,
      out: expect.stringContaining('mended: removed the id'),
    });
    expect((await cli.echomq(args)).code).toBe(0);
    expect((await cli.echomq(['doctor', 'nobody-knows'])).code).toBe(3);
  });
});
