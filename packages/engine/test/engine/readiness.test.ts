import type { RedisClient } from '@echomq/core';
import { collect, fakeClock } from '@echomq/testkit';
import { expect, test } from 'vitest';
import { type EngineLogger, silentLogger } from '../../src/ports.js';
import { Readiness } from '../../src/readiness/readiness.js';

function scene() {
  const clock = fakeClock();
  const warnings: unknown[] = [];
  const logger: EngineLogger = {
    ...silentLogger,
    warn: (event, facts) => {
      warnings.push([event, facts]);
    },
  };
  const readiness = new Readiness({ clock, logger, probeKey: 'bull:0:probe' });
  const changes = collect<boolean>('changes');
  readiness.onChange(changes.push);
  const commands: string[] = [];
  const store = { away: false, refuses: false };
  const redis = {
    ready: true,
    problem: 'NOAUTH',
    send: async (command: string) => {
      commands.push(command);
      const refused = store.refuses && command !== 'PING';
      if (store.away || refused) throw new Error('READONLY');
      return 'OK';
    },
  } as unknown as RedisClient;
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      clock.advance(Math.min(left, 250));
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  };
  readiness.start(redis);
  return { readiness, changes, commands, store, warnings, pass };
}

test('true at the first success, false within 5 s without any, true again at the next', async () => {
  const { readiness, changes, store, pass } = scene();
  expect(readiness.ready).toBe(false);
  await pass(250);
  expect(changes.items).toEqual([true]);
  store.away = true;
  await pass(4_250);
  expect(changes.items).toEqual([true]);
  await pass(500);
  expect(changes.items).toEqual([true, false]);
  store.away = false;
  await pass(250);
  expect(changes.items).toEqual([true, false, true]);
  readiness.stop();
});

test('a store that is away, also from the first on, is told of once, with the reason', async () => {
  const { readiness, store, warnings, pass } = scene();
  store.away = true;
  await pass(20_000);
  expect(warnings).toEqual([['store.away', { problem: 'NOAUTH' }]]);
  store.away = false;
  await pass(500);
  store.away = true;
  await pass(20_000);
  const again = [
    ['ready.changed', { ready: false }],
    ['store.away', { problem: 'NOAUTH' }],
  ];
  expect(warnings.slice(1)).toEqual(again);
  readiness.stop();
});

test('a store that works is not asked for a sign of life', async () => {
  const { readiness, commands, pass } = scene();
  for (let at = 0; at < 20; at++) {
    readiness.note('ok');
    await pass(250);
  }
  expect(commands).toEqual([]);
  readiness.stop();
});

test('a store that answers and refuses to write is away; only a write proves the contrary', async () => {
  const { readiness, changes, commands, store, pass } = scene();
  readiness.note('ok');
  store.refuses = true;
  readiness.note('refused');
  for (let at = 0; at < 24; at++) {
    readiness.note('ok');
    await pass(250);
  }
  expect(changes.items).toEqual([true, false]);
  expect(new Set(commands)).toEqual(new Set(['DEL']));
  store.refuses = false;
  await pass(500);
  expect(changes.items).toEqual([true, false, true]);
  readiness.stop();
});

test('an engine that leaves is not ready again', async () => {
  const { readiness, changes, pass } = scene();
  await pass(250);
  readiness.leave();
  readiness.note('ok');
  await pass(1_000);
  expect(changes.items).toEqual([true, false]);
  readiness.stop();
});
