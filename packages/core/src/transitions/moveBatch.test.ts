import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { EchoMQError } from '../errors.js';
import { type Move, moveBatch } from './moveBatch.js';
import type { Finish } from './moveToFinished.js';

const used = useStore();

const batch = (queue: TestQueue, moves: readonly Move[], maxBytes?: number) =>
  moveBatch(used.store, queue.keys, moves, { now: NOW, ...(maxBytes ? { maxBytes } : {}) });

const finish = (jobId: string, more: Partial<Finish['options']> = {}): Finish => ({
  jobId,
  target: 'completed',
  value: '{"ok":true}',
  fetchNext: false,
  options: { token: `t${jobId}`, ...more },
});

/** Jobs that run, each locked with `t` and its id. */
function running(ids: readonly string[], more: QueueState = {}): QueueState {
  const each = (value: (id: string) => unknown) =>
    Object.fromEntries(ids.map((id) => [id, value(id)]));
  return {
    meta: META,
    active: ids,
    jobs: each(() => ({ ats: 1 })) as NonNullable<QueueState['jobs']>,
    locks: each((id) => `t${id}`) as NonNullable<QueueState['locks']>,
    ...more,
  };
}

/** The reason of the one move's error, thrown as a binding of one move throws it. */
async function only(queue: TestQueue, move: Move): Promise<unknown> {
  const [moved] = await batch(queue, [move]);
  if (moved instanceof EchoMQError) throw moved;
  return moved;
}

describe('moveBatch', () => {
  it('says where as many run as may', async () => {
    const queue = used.queue();
    await queue.seed(running(['1'], { wait: ['2'], meta: { ...META, concurrency: 1 } }));
    expect(await batch(queue, [{ token: 't2', lockDuration: 60_000 }])).toEqual([
      { kind: 'idle', maxed: true },
    ]);
  });

  it('ends runs and takes jobs, each with its own answer', async () => {
    const queue = used.queue();
    await queue.seed(running(['2', '1'], { stalled: ['1', '2'] }));
    await queue.seed({ wait: ['4', '3'], jobs: { 3: { data: '"x"' }, 4: {} } });
    const next = { nextToken: 'n3', lockDuration: 60_000, name: 'w' };

    const moved = await batch(queue, [
      { ...finish('1', next), fetchNext: true },
      finish('2'),
      { token: 'n4', lockDuration: 60_000 },
      { token: 'n5', lockDuration: 60_000 },
    ]);

    expect(moved).toEqual([
      {
        branch: 'completed',
        attemptsMade: 1,
        retryDelayMs: 0,
        next: {
          kind: 'job',
          job: expect.objectContaining({
            id: '3',
            data: Buffer.from('"x"'),
            attemptsStarted: 1,
            processedOn: NOW,
            processedBy: 'w',
          }),
        },
      },
      { branch: 'completed', attemptsMade: 1, retryDelayMs: 0, next: { kind: 'idle' } },
      { kind: 'job', job: expect.objectContaining({ id: '4' }) },
      { kind: 'idle' },
    ]);
    const ended = { ats: 1, atm: 1, returnvalue: '{"ok":true}', finishedOn: NOW };
    expect(await queue.read()).toEqual({
      meta: META,
      active: ['4', '3'],
      completed: [
        ['1', NOW],
        ['2', NOW],
      ],
      marker: [['0', 0]],
      1: jobHash(ended),
      2: jobHash(ended),
      3: jobHash({ data: '"x"', ats: 1, processedOn: NOW, pb: 'w' }),
      4: jobHash({ ats: 1, processedOn: NOW }),
      '3:lock': 'n3',
      '4:lock': 'n4',
      events: [
        { event: 'completed', jobId: '1', returnvalue: '{"ok":true}', prev: 'active' },
        { event: 'active', jobId: '3', prev: 'waiting' },
        { event: 'completed', jobId: '2', returnvalue: '{"ok":true}', prev: 'active' },
        { event: 'active', jobId: '4', prev: 'waiting' },
      ],
    });
  });

  it('harms no move by one that is refused', async () => {
    const queue = used.queue();
    await queue.seed(running(['2', '1']));
    const foreign = finish('2', { token: 'somebody' });

    const [gone, refused, done, again] = await batch(queue, [
      finish('9'),
      foreign,
      finish('1'),
      finish('1'),
    ]);

    expect(gone).toMatchObject({ reason: 'JOB_NOT_FOUND' });
    expect(refused).toMatchObject({ reason: 'LOCK_NOT_OWNED', subject: { jobId: '2' } });
    expect(done).toMatchObject({ branch: 'completed' });
    expect(again).toMatchObject({ reason: 'LOCK_LOST' });
    expect(await queue.read()).toMatchObject({ active: ['2'], completed: [['1', NOW]] });
  });

  it('harms no move by one whose keys are of another kind', async () => {
    const queue = used.queue();
    await queue.seed(running(['3', '2', '1'], { '2:logs': 'no list' }));

    const [first, broken, last] = await batch(queue, [
      finish('1'),
      finish('2', { logs: ['a line'] }),
      finish('3'),
    ]);

    expect(broken).toMatchObject({ code: 'INTERNAL', reason: 'SCRIPT_ERROR' });
    expect([first, last]).toMatchObject([{ branch: 'completed' }, { branch: 'completed' }]);
    expect(await queue.read()).toMatchObject({
      active: ['2'],
      '2:lock': 't2',
      completed: [
        ['1', NOW],
        ['3', NOW],
      ],
    });
  });

  it('takes no further job once its answers are full', async () => {
    const queue = used.queue();
    const data = `"${'x'.repeat(600)}"`;
    await queue.seed(running(['1']));
    await queue.seed({ wait: ['4', '3', '2'], jobs: { 2: { data }, 3: { data }, 4: { data } } });
    const wanted = { token: 'a', lockDuration: 60_000 };
    const moves = [wanted, { ...finish('1', { nextToken: 'b' }), fetchNext: true }, wanted];

    const [first, ended, rest] = await batch(queue, moves, 500);

    expect(first).toMatchObject({ kind: 'job', job: { id: '2' } });
    expect(ended).toMatchObject({ branch: 'completed', next: { kind: 'later' } });
    expect(rest).toEqual({ kind: 'later' });
    expect(await queue.read()).toMatchObject({ active: ['2'], wait: ['4', '3'] });
  });

  it('keeps the receipts of a session, deletes those that are acknowledged, answers repeated moves', async () => {
    const queue = used.queue();
    await queue.seed(running(['2', '1']));
    await queue.seed({ 'meta:rcpt:s': { 5: '[1]', 6: '[1]' } });
    const receipt = (field: string, digest = field) => {
      const key = queue.keys.sessionReceipts('s');
      return { receipt: { key, field, digest, ttl: 60_000, acked: ['5'] } };
    };

    const first = await batch(queue, [finish('1', receipt('7')), finish('2', receipt('8'))]);
    const again = await batch(queue, [finish('1', receipt('7')), finish('2', receipt('8', 'x'))]);

    expect(first).toMatchObject([{ branch: 'completed' }, { branch: 'completed' }]);
    expect(again[0]).toMatchObject({ branch: 'completed', attemptsMade: 1, replays: 0 });
    expect(again[1]).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
    const dump = await queue.read();
    expect(Object.keys(dump['meta:rcpt:s'] as object)).toEqual(['6', '7', '8']);
    expect(await queue.readTtls()).toHaveProperty('meta:rcpt:s');
    expect(eventLines(dump)).toHaveLength(3);
  });

  it('tells apart a job that ran, waits again and is taken anew within the batch', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ opts: { attempts: 2 } }));
    const failed = finish('1', { nextToken: 'n1', retry: { mode: 'DEFAULT' } });

    const [moved, stale] = await batch(queue, [
      { ...failed, target: 'failed', value: 'boom', fetchNext: true },
      finish('1'),
    ]);

    expect(moved).toMatchObject({ branch: 'waiting', next: { kind: 'job', job: { id: '1' } } });
    expect(stale).toMatchObject({ reason: 'LOCK_NOT_OWNED' });
    expect(await queue.read()).toMatchObject({ active: ['1'], '1:lock': 'n1' });
  });

  describe('rejects, and writes nothing', () => {
    it('JOB_HAS_PENDING_CHILDREN, JOB_HAS_FAILED_CHILDREN', async () => {
      const queue = used.queue();
      await queue.seed(running(['2', '1']));
      await queue.seed({ '1:dependencies': ['bull:q:c'], '2:unsuccessful': { 'bull:q:c': 1 } });
      const before = await queue.read();

      const moved = await batch(queue, [finish('1'), finish('2')]);

      expect(moved).toMatchObject([
        { reason: 'JOB_HAS_PENDING_CHILDREN' },
        { reason: 'JOB_HAS_FAILED_CHILDREN' },
      ]);
      expect(await queue.read()).toEqual(before);
    });

    it.each(['', '0'])('LOCK_NOT_OWNED: a fetch with the token "%s"', async (token) => {
      const queue = used.queue();
      const [moved] = await batch(queue, [{ token, lockDuration: 1_000 }]);
      expect(moved).toMatchObject({ reason: 'LOCK_NOT_OWNED' });
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) => only(queue, finish(jobId, { token })));
});
