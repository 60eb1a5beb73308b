import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/dispatch/group-commit.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const ticks = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** A group commit whose batches are answered by hand. */
function commitOf() {
  const sent: { readonly items: readonly number[]; readonly answer: () => void }[] = [];
  const commit = new GroupCommit<number, number>({
    send: (items) =>
      new Promise((resolve) => {
        sent.push({ items, answer: () => resolve(items.map((item) => -item)) });
      }),
    sizeOf: () => 1,
  });
  const bring = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => commit.carryOut(from + at)));
  return { commit, sent, bring, sizes: () => sent.map(({ items }) => items.length) };
}

test('what is alone leaves before the turn is over', async () => {
  const { sent, bring } = commitOf();
  const answer = bring(1, 1);
  await ticks();
  expect(sent.map(({ items }) => items)).toEqual([[1]]);
  sent[0]?.answer();
  expect(await answer).toEqual([-1]);
});

test('a turn is parted over two scripts, in order, and not for two items', async () => {
  const { sent, bring } = commitOf();
  void bring(1, 7);
  await ticks();
  expect(sent.map(({ items }) => items)).toEqual([
    [1, 2, 3, 4],
    [5, 6, 7],
  ]);
  const few = commitOf();
  void few.bring(1, 2);
  await ticks();
  expect(few.sizes()).toEqual([2]);
});

test('while one is on its way the next gathers all of the turn', async () => {
  const { sent, bring, sizes } = commitOf();
  void bring(1, 1);
  await ticks();
  void bring(2, 1);
  await ticks();
  void bring(3, 1);
  expect(sizes()).toEqual([1]);
  await turn();
  expect(sizes()).toEqual([1, 2]);
  // Two are on their way: what comes now waits.
  void bring(4, 5);
  await turn();
  expect(sizes()).toEqual([1, 2]);
  sent[0]?.answer();
  await turn();
  await turn();
  expect(sizes()).toEqual([1, 2, 4]);
});

test('batches come to be of one size, whatever they began with', async () => {
  const { sent, bring, sizes, commit } = commitOf();
  void bring(1, 1);
  await ticks();
  void bring(2, 19);
  await turn();
  let answered = 0;
  // Each answer brings as many again.
  for (let round = 0; round < 12; round++) {
    const next = sent[answered++];
    next?.answer();
    await Promise.resolve();
    void bring(100 * round, next?.items.length ?? 0);
    await turn();
  }
  expect(sizes().slice(-2)).toEqual([10, 10]);
  expect(commit.idle).toBe(false);
});

test('what is alone goes by itself where that is offered, and the end of all work is told', async () => {
  const told: string[] = [];
  const commit = new GroupCommit<number, number>({
    send: async (items) => {
      told.push(`batch ${items.join(' ')}`);
      return items.map((item) => -item);
    },
    sendAlone: async (item) => {
      told.push(`alone ${item}`);
      if (item === 9) throw new Error('refused');
      return -item;
    },
    sizeOf: () => 1,
    onError: (item, error) => told.push(`${item}: ${(error as Error).message}`),
    onIdle: () => told.push('idle'),
  });
  expect(await commit.carryOut(1)).toBe(-1);
  await turn();
  expect(await Promise.all([commit.carryOut(2), commit.carryOut(3)])).toEqual([-2, -3]);
  await turn();
  await expect(commit.carryOut(9)).rejects.toThrow('refused');
  await turn();
  expect(told).toEqual(['alone 1', 'idle', 'batch 2 3', 'idle', 'alone 9', '9: refused', 'idle']);
  expect(commit.idle).toBe(true);
});
