import { type Gateway, loadConfig, startGateway } from '@echomq/gateway';
import { connect } from '@echomq/sdk';
import { collect, eventually, useRedis, useStarted } from '@echomq/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { bullHouse } from '../src/peers/bull-house.js';
import type { House } from '../src/peers/house.js';
import { sdkHouse } from '../src/peers/sdk-house.js';

const redis = useRedis();
const log = collect<readonly [event: string, facts: object]>('log lines');
const note = (event: string, facts: object = {}) => log.push([event, facts]);

const used = useStarted(async () => {
  const loaded = loadConfig({
    env: {},
    argv: [
      ...[`--redis-url=${redis.url}`, '--listen=127.0.0.1:0', '--stalled-interval-ms=200'],
      '--default-lock-ms=5000',
    ],
  });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  const gateway: Gateway = await startGateway(loaded.config, {
    info: note,
    warn: note,
    error: note,
  });
  return { gateway, [Symbol.asyncDispose]: () => gateway.close() };
});

const open: House[] = [];
afterEach(async () => {
  for (const house of open.splice(0)) await house.close();
});

const warnings = (queue: string) =>
  log.items
    .filter(([, facts]) => (facts as { queue?: string }).queue === queue)
    .map(([event]) => event);

/** A queue with a 5.x, a 6.x and EchoMQ over its gateway; each has a worker, so that whoever comes first runs a job. */
async function three() {
  const { name, ...queue } = redis.freshQueue();
  const socket = redis.server.socketPath ?? '';
  const echo = sdkHouse(connect({ address: used.value.gateway.address }), name);
  const ran = collect<string>('runs');
  const run = (by: string) => async (job: { readonly task: { readonly key: string } }) => {
    ran.push(job.task.key);
    return by;
  };
  open.push(echo);
  echo.work(run('echo'));
  const five = bullHouse('5.81.5', socket, name);
  open.push(five);
  await five.queue.waitUntilReady();
  await eventually(() => expect(warnings(name)).toEqual(['peers.bullmq5']), 10_000);
  const six = bullHouse('6.7.0', socket, name);
  open.push(six);
  await six.queue.waitUntilReady();
  await eventually(() => expect(warnings(name)).toContain('peers.mixedMajors'), 10_000);
  five.work(run('five'));
  six.work(run('six'));
  return { name, queue, echo, five, six, ran };
}

type Houses = Awaited<ReturnType<typeof three>>;
type Who = 'echo' | 'five' | 'six';

/** Who pauses, who adds meanwhile, in that order, and who resumes. */
const ROUNDS: readonly (readonly [pauses: Who, adds: readonly Who[], resumes: Who])[] = [
  ['five', ['five', 'echo', 'six'], 'echo'],
  ['five', ['five', 'echo', 'six'], 'six'],
  ['five', ['five', 'echo', 'five'], 'five'],
  ['echo', ['five', 'echo', 'six'], 'echo'],
  ['echo', ['five', 'echo', 'six'], 'six'],
  ['six', ['five', 'echo', 'six'], 'six'],
  ['six', ['six', 'echo', 'five'], 'echo'],
  // What 6.x puts into `wait` a 5.x's resume throws away, with or without us: so none comes in between here.
  ['six', ['five', 'echo'], 'five'],
  ['echo', ['five', 'echo'], 'five'],
];

async function play(houses: Houses): Promise<string[]> {
  const expected: string[] = [];
  for (const [round, [pauses, adds, resumes]] of ROUNDS.entries()) {
    await houses[pauses].pause();
    for (const [at, who] of adds.entries()) {
      const key = `${round}-${at}-${who}`;
      await houses[who].add({ key, fails: 0 });
      expected.push(key);
    }
    await houses[resumes].resume();
    // Whoever is woken takes them; a 5.x that resumes leaves no marker, so that the first may wait for a poll.
    await houses.ran.waitFor(expected.length, 20_000);
  }
  return expected;
}

describe('a 5.x, a 6.x and a gateway at one queue', () => {
  it('lose nothing in any order of pauses and resumes, and the mixture is warned about', async () => {
    const houses = await three();
    const expected = await play(houses);
    expect([...houses.ran.items].sort()).toEqual([...expected].sort());
    await eventually(async () => {
      const dump = await houses.queue.read();
      for (const place of ['wait', 'paused', 'active']) expect(dump).not.toHaveProperty(place);
      expect(dump.completed).toHaveLength(expected.length);
      expect(dump.meta).not.toHaveProperty('paused');
    }, 10_000);
    expect(warnings(houses.name)).toEqual(['peers.bullmq5', 'peers.mixedMajors']);
  }, 120_000);
});
