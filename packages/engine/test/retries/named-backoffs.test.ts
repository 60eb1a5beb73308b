import { expect, test } from 'vitest';
import { Engine } from '../../src/engine.js';
import { type NamedBackoff, scriptBackoffs } from '../../src/retries/named-backoffs.js';
import { refusedNow } from '../use-services.js';

test('named backoffs become what the script takes', () => {
  expect(scriptBackoffs({})).toBeUndefined();
  expect(
    scriptBackoffs({
      tides: [1, 2, 3],
      moons: { stepsMs: [5], jitter: 0.5, maxMs: 4 },
      slow: { type: 'exponential', baseMs: 1_000, factor: 3, maxMs: 60_000, jitter: 1 },
      plain: { type: 'fixed', baseMs: 0 },
    }),
  ).toEqual({
    tides: { steps: [1, 2, 3] },
    moons: { steps: [5], jitter: 0.5, max: 4 },
    slow: { type: 'exponential', delay: 1_000, factor: 3, max: 60_000, jitter: 1 },
    plain: { type: 'fixed', delay: 0 },
  });
});

test.each<[field: string, name: string, backoff: unknown]>([
  ['backoffs.x', 'x', []],
  ['backoffs.x[1]', 'x', [1, -1]],
  ['backoffs.x[0]', 'x', [Number.NaN]],
  ['backoffs.x', 'x', Array.from({ length: 101 }, () => 1)],
  ['backoffs.x', 'x', 5],
  ['backoffs.x', 'x', null],
  ['backoffs.x.stepsMs', 'x', { stepsMs: [] }],
  ['backoffs.x.type', 'x', { baseMs: 5 }],
  ['backoffs.x.type', 'x', { type: 'linear', baseMs: 5 }],
  ['backoffs.x.baseMs', 'x', { type: 'fixed' }],
  ['backoffs.x.baseMs', 'x', { type: 'fixed', baseMs: Number.POSITIVE_INFINITY }],
  ['backoffs.x.factor', 'x', { type: 'exponential', baseMs: 5, factor: -2 }],
  ['backoffs.x.jitter', 'x', { type: 'fixed', baseMs: 5, jitter: 1.5 }],
  ['backoffs.x.maxMs', 'x', { type: 'fixed', baseMs: 5, maxMs: '9' }],
  ['backoffs.fixed', 'fixed', [1]],
  ['backoffs.exponential', 'exponential', [1]],
  ['backoffs. ', ' ', [1]],
])('%s is refused', (field, name, backoff) => {
  const backoffs = { [name]: backoff as NamedBackoff };
  expect(refusedNow(() => scriptBackoffs(backoffs))).toEqual({ reason: 'INVALID_FIELD', field });
});

test('too many are refused, and an engine with a bad one is not made', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`b${at}`, [1]]));
  expect(refusedNow(() => scriptBackoffs(many)).field).toBe('backoffs');
  const redis = { cluster: false } as never;
  expect(refusedNow(() => new Engine({ redis, backoffs: { x: [] } })).field).toBe('backoffs.x');
});
