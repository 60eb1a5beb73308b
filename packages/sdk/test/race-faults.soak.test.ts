import { fileURLToPath } from 'node:url';
import { Store } from '@echomq/core';
import { plantScriptFault, type ScriptFault, spawnNode, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { race } from './race/race.js';

const path = (from: string) => fileURLToPath(new URL(from, import.meta.url));
const redis = useRedis();

/** A small race over a gateway whose scripts have a fault, or none. */
async function smallRace(fault?: ScriptFault): Promise<void> {
  const gateway = await spawnNode(path('../../../apps/gateway/build/main.js'), {
    args: [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0', '--max-stalled-count=1000'],
    ready: /listening on/,
    readyLimitMs: 25_000,
    ...(fault && {
      nodeArgs: ['--import', path('fixtures/plant-fault.mjs')],
      env: { ECHOMQ_TEST_FAULT: fault },
    }),
  });
  onTestFinished(() => gateway.stop());
  await race({ redis, gateway, jobs: 300, workers: 2, limitMs: 20_000 });
}

it('a small race is won without a fault', { timeout: 90_000 }, () => smallRace());

/** The words by which a race tells of a job that ran twice. A race that ends by any other error has noticed nothing. */
const NOTICED = [
  /^\S+, then \S+ while the first went on$/,
  /^\S+, then \S+ although nobody had lost the first$/,
];

/** What the books of a race say that must not be. @throws the error by which it ended, if that was another one */
async function violationsOf(racing: Promise<void>): Promise<readonly string[]> {
  const error: unknown = await racing.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const { actual } = (error ?? {}) as { actual?: unknown };
  if (!Array.isArray(actual) || !Array.isArray(actual[0])) throw error;
  return actual[0] as string[];
}

/** A race that nothing else than jobs that ran twice has ended. */
async function expectNoticed(racing: Promise<void>): Promise<void> {
  const violations = await violationsOf(racing);
  expect(violations).not.toEqual([]);
  expect(violations.filter((words) => !NOTICED.some((one) => one.test(words)))).toEqual([]);
}

it.each(['staysActive', 'staysWaiting'] as const)(
  'the race notices a gateway with %s',
  { timeout: 90_000 },
  (fault) => expectNoticed(smallRace(fault)),
);

it('the race notices a sweep that takes jobs from those who hold them', {
  timeout: 90_000,
}, async () => {
  const planted = plantScriptFault(Store, 'sweepsOwned');
  onTestFinished(() => planted.undo());
  await expectNoticed(smallRace());
  expect(planted.met).toBe(true);
});
