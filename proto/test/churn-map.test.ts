import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChurnKey, ChurnMap } from '../src/churn-map.js';
import { PROTO_DIR } from './buf.js';

const KEYS: fc.Arbitrary<ChurnKey> = fc.oneof(
  fc.nat(60),
  fc.nat(20).map((n) => n * 2 ** 20),
  fc.nat(40).map((n) => `token-${n}`),
  // All of one hash: only the last letters count.
  fc.nat(20).map((n) => `${n}-the-same-end`),
);
const STEPS = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant('set' as const), key: KEYS }) },
    { weight: 9, arbitrary: fc.record({ do: fc.constant('delete' as const), key: KEYS }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), key: KEYS }) },
  ),
  { maxLength: 400 },
);

test('it holds what a Map holds, in the same order', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const [map, like] = [new ChurnMap<ChurnKey, number>(), new Map<ChurnKey, number>()];
      steps.forEach((step, at) => {
        if (step.do === 'set') {
          map.set(step.key, at);
          like.set(step.key, at);
        } else if (step.do === 'delete') {
          expect(map.delete(step.key)).toBe(like.delete(step.key));
        } else {
          map.clear();
          like.clear();
        }
        expect([map.size, map.has(step.key), map.get(step.key)]).toEqual([
          like.size,
          like.has(step.key),
          like.get(step.key),
        ]);
      });
      expect(map.keys()).toEqual([...like.keys()]);
      expect(map.values()).toEqual([...like.values()]);
    }),
  );
});

test('a visit may delete what it is told of, and ends the walk', () => {
  const map = new ChurnMap<number, string>();
  for (let n = 1; n <= 100; n += 1) map.set(n, `${n}`);
  const seen: number[] = [];
  map.visit((value, key) => {
    expect(value).toBe(`${key}`);
    seen.push(key);
    if (key % 2 === 0) map.delete(key);
    return key < 90;
  });
  expect(seen).toEqual(Array.from({ length: 90 }, (_, at) => at + 1));
  expect(map.keys().filter((key) => key <= 90)).toEqual(seen.filter((key) => key % 2 === 1));
  expect(map.size).toBe(55);
});

test('one that has held many and is empty goes on from the beginning', () => {
  const map = new ChurnMap<string, number>();
  for (const round of [1, 2]) {
    for (let n = 0; n < 20_000; n += 1) map.set(`${n}`, n * round);
    for (let n = 0; n < 20_000; n += 1) expect(map.get(`${n}`)).toBe(n * round);
    for (let n = 0; n < 20_000; n += 1) expect(map.delete(`${n}`)).toBe(true);
    expect([map.size, map.keys(), map.delete('1')]).toEqual([0, [], false]);
  }
});

test('what is deleted is kept by nothing: the large heap does not grow', () => {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { ChurnMap } from '@echomq/proto/churn-map';
    const oldSpace = () =>
      getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;
    const map = new ChurnMap();
    let n = 0;
    const churn = async (until) => {
      for (; n < until; n += 1) {
        map.set(n, { n, body: new Array(50).fill(n) });
        map.delete(n - 200);
        if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await churn(5_000);
    gc();
    gc();
    const before = oldSpace();
    await churn(55_000);
    console.log(oldSpace() - before);
  `;
  const args = ['--expose-gc', '--input-type=module', '-e', program];
  const run = spawnSync(process.execPath, args, { cwd: PROTO_DIR });
  expect(run.stderr.toString()).toBe('');
  // Some 25 MB came and went; a Map in its place keeps 2.
  expect(Number(run.stdout.toString())).toBeLessThan(500_000);
});
