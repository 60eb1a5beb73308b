import { cpus, loadavg } from 'node:os';
import { connect } from '@echomq/sdk';
import { embedded } from '@echomq/sdk/embedded';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type Lateness, type LateTaker, measureLateness } from '../src/run/lateness.js';
import { startedGateway } from './gateway-process.js';
import { bullTaker, dueTimes, echoTaker } from './late-takers.js';

const redis = useRedis();
const SIZE = { jobs: process.env.ECHOMQ_SOAK === 'long' ? 2_000 : 300, apartMs: 50 };
/** As the issue states it, for an idle machine. */
const LIMIT_MS = 10;
const IDLE_LOAD = 0.5;

const WAYS: readonly (readonly [string, (name: string) => Promise<LateTaker>])[] = [
  ['EchoMQ, embedded', async (name) => echoTaker(embedded({ redis: redis.url }), name)],
  [
    'EchoMQ over a gateway',
    async (name) => echoTaker(connect({ address: await startedGateway(redis.url) }), name),
  ],
  ['bullmq 6.7.0', async (name) => bullTaker('6.7.0', redis.server.socketPath ?? '', name)],
];

/** Whether nobody else works on the machine: only then the bound is a fact about us. */
const load = loadavg()[0] ?? 0;
const idle = load / cpus().length < IDLE_LOAD;

it.each(WAYS)('delayed jobs of %s', async (way, make) => {
  const queue = redis.freshQueue();
  const taker = await make(queue.name);
  onTestFinished(() => taker.close());
  const late = await measureLateness(taker, dueTimes(redis, queue.base), SIZE);
  process.stdout.write(`${line(way, late)}\n`);
  if (idle && way.startsWith('EchoMQ')) expect(late.p99).toBeLessThanOrEqual(LIMIT_MS);
});

function line(way: string, { jobs, p50, p99, max }: Lateness): string {
  const machine = `load ${load.toFixed(1)} on ${cpus().length} cores${idle ? '' : ': not idle, no bound asserted'}`;
  return `lateness, ${way}: ${jobs} jobs, p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${machine})`;
}
