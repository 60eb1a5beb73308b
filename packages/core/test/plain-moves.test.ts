import type { QueueState } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { type Finish, moveBatch, moveToActive, moveToFinished, type Store } from '../src/index.js';
import { type Change, changedStore } from './changed-scripts.js';
import { META, NOW, refusal, type TestQueue, useStore } from './use-store.js';

const used = useStore();

/** A run whose lock stands although it is not among the active ones, and others that wait. */
const ASTRAY: QueueState = {
  meta: META,
  wait: ['3', '2'],
  jobs: { 1: { ats: 1 }, 2: {}, 3: {} },
  locks: { 1: 't1' },
};
const END: Finish = {
  ...{ jobId: '1', target: 'completed', value: '1', fetchNext: true },
  options: { token: 't1', nextToken: 't2', lockDuration: 60_000 },
};
const PUT_BACK =
  /if nextId then\s+redis\.call\('LMOVE', queue\.active, queue\.wait, 'LEFT', 'RIGHT'\)\s+end\n/;

const WAYS: Readonly<Record<string, (store: Store, queue: TestQueue) => Promise<unknown>>> = {
  alone: (store, queue) => moveToFinished(store, queue.keys, END, NOW),
  'in a batch': async (store, queue) => {
    const [answer] = await moveBatch(store, queue.keys, [END], { now: NOW });
    if (answer instanceof Error) throw answer;
  },
};

it.each(Object.keys(WAYS))(
  'an end that turns out to be refused leaves the next job where it waited, %s; a script that does not is noticed',
  async (way) => {
    const end = WAYS[way] ?? expect.unreachable();
    const queue = used.queue();
    await queue.seed(ASTRAY);
    expect(await refusal(queue, () => end(used.store, queue))).toBe('JOB_NOT_IN_STATE');
    const forgets: Change = (source) => source.replace(PUT_BACK, '');
    const other = used.queue();
    await other.seed(ASTRAY);
    const forgetful = changedStore(used.store, forgets);
    await expect(refusal(other, () => end(forgetful, other))).rejects.toThrow('to deeply equal');
    expect(await other.read()).toMatchObject({ active: ['2'], wait: ['3'] });
  },
);

/** A run that had waited at its worker, and has begun without the store's having been told. */
const WAITED: QueueState = {
  meta: META,
  active: ['1'],
  jobs: { 1: { ats: 1, processedOn: 5, 'echomq.unbegun': '5' } },
  locks: { 1: 't1' },
};

it.each(Object.keys(WAYS))(
  'a run that had waited at its worker ends without the mark of that, %s; a script that leaves it is noticed',
  async (way) => {
    const ended = async (store: Store) => {
      const queue = used.queue();
      await queue.seed(WAITED);
      await WAYS[way]?.(store, queue);
      const { 1: job, completed } = await queue.read();
      expect(completed).toEqual([['1', NOW]]);
      return Object.keys(job as object);
    };
    expect(await ended(used.store)).not.toContain('echomq.unbegun');
    const leaves: Change = (source) =>
      source.replace(/(if mark then\s+redis\.call\()'HDEL'/, "$1'HEXISTS'");
    expect(await ended(changedStore(used.store, leaves))).toContain('echomq.unbegun');
  },
);

/** A job that somebody who knows of no cancels has put back. */
const CANCELLED: QueueState = {
  meta: META,
  wait: ['1'],
  jobs: { 1: { ats: 1, processedOn: 5, 'echomq.cancel': '5' } },
};

it('a waiting job that is to be cancelled is not handed out; a script that does is noticed', async () => {
  const fetched = async (store: Store) => {
    const queue = used.queue();
    await queue.seed(CANCELLED);
    const { kind } = await moveToActive(
      store,
      queue.keys,
      { token: 't', lockDuration: 1_000 },
      NOW,
    );
    return { kind, ends: (await queue.read()).failed };
  };
  expect(await fetched(used.store)).toEqual({ kind: 'idle', ends: [['1', NOW]] });
  const forgets: Change = (source) => source.replace(" and not stored['echomq.cancel']", '');
  expect((await fetched(changedStore(used.store, forgets))).kind).toBe('job');
});

const LEFT: Readonly<Record<string, { readonly without: Change; readonly expected: object }>> = {
  'takes the mark of the stalled check away': {
    without: (source) =>
      source.replace(
        "alone.marked = redis.call('SREM', queue.stalled, alone.id)",
        'alone.marked = 0',
      ),
    expected: { stalled: ['1'] },
  },
  'keeps its receipt': {
    without: (source) =>
      source.replace(
        /^ +keepAlone\(receipt, .*\)\n {2}end\n {2}if not nextId/m,
        '  end\n  if not nextId',
      ),
    expected: {},
  },
};

it.each(Object.keys(LEFT))('an end alone %s; a script that does not is noticed', async (what) => {
  const { without, expected } = LEFT[what] ?? expect.unreachable();
  const seed: QueueState = { ...ASTRAY, active: ['1'], stalled: ['1'] };
  const [queue, other] = [used.queue(), used.queue()];
  const end = (store: Store, { keys }: TestQueue) => {
    const receipt = { key: keys.sessionReceipts('s'), field: '1', digest: 'd', ttl: 60_000 };
    return moveToFinished(store, keys, { ...END, options: { ...END.options, receipt } }, NOW);
  };
  for (const each of [queue, other]) await each.seed(seed);
  await end(used.store, queue);
  await end(changedStore(used.store, without), other);
  const receipts = 'meta:rcpt:s';
  const whole = await queue.read();
  expect(whole).not.toHaveProperty('stalled');
  expect(whole[receipts]).toEqual({ 1: '[1,"d",0,"completed",1,0,"2","t2"]' });
  const { [receipts]: kept, ...rest } = whole;
  const mutated = await other.read();
  expect(mutated).toEqual({
    ...rest,
    ...(what === 'keeps its receipt' ? {} : { [receipts]: kept }),
    ...expected,
  });
});
