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

it.each(['staysActive', 'staysWaiting'] as const)(
  'the race notices a gateway with %s',
  {
    timeout: 90_000,
  },
  async (fault) => {
    await expect(smallRace(fault)).rejects.toThrow();
  },
);

it('the race notices a sweep that takes jobs from those who hold them', {
  timeout: 90_000,
}, async () => {
  const planted = plantScriptFault(Store, 'sweepsOwned');
  onTestFinished(() => planted.undo());
  await expect(smallRace()).rejects.toThrow(/while the first went on|to deeply equal|toBe/);
  expect(planted.met).toBe(true);
});
