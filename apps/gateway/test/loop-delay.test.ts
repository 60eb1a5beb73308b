import { fileURLToPath } from 'node:url';
import { eventually, spawnNode, useRedis } from '@echomq/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DelayGauge, LoopDelay } from '../src/loop-delay.js';
import { HealthClient, healthOf } from './health-client.js';
import { clientOf } from './serving.js';

/** A gauge that tells what the test says. */
function fakeGauge() {
  const gauge = { delay: 0, resets: 0, stopped: false };
  const p99 = () => gauge.delay;
  const reset = () => {
    gauge.resets += 1;
  };
  const stop = () => {
    gauge.stopped = true;
  };
  const asGauge: DelayGauge = { p99, reset, stop };
  return Object.assign(gauge, { asGauge });
}

describe('a loop that is late', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is told of beyond the limit alone, and until three seconds in a row were calm', () => {
    const gauge = fakeGauge();
    const seen: boolean[] = [];
    const loop: LoopDelay = new LoopDelay(1_000, () => seen.push(loop.keepsUp), gauge.asGauge);
    const second = (delay: number) => {
      gauge.delay = delay;
      vi.advanceTimersByTime(1_000);
      return loop.keepsUp;
    };
    expect([5, 1_000, 1_001, 10, 10, 2_000, 10, 10, 10, 10].map(second)).toEqual([
      ...[true, true, false, false, false, false, false, false, true, true],
    ]);
    expect(seen).toEqual([false, true]);
    expect(gauge.resets).toBe(10);
    loop.close();
    gauge.delay = 5_000;
    vi.advanceTimersByTime(5_000);
    expect([loop.keepsUp, gauge.stopped]).toEqual([true, true]);
  });

  it('is not looked at with a limit of 0', () => {
    const gauge = fakeGauge();
    const loop = new LoopDelay(0, () => undefined, gauge.asGauge);
    gauge.delay = 60_000;
    vi.advanceTimersByTime(5_000);
    expect([loop.keepsUp, gauge.stopped, gauge.resets]).toEqual([true, true, 0]);
    loop.close();
  });
});

const redis = useRedis();
const main = fileURLToPath(new URL('../build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;

describe('pitfall 12: a gateway that stood still', () => {
  it('says NOT_SERVING when it goes on, is alive all the time, and says SERVING once it keeps up', async () => {
    const stall = `process.on('SIGUSR2', () => {
      const until = performance.now() + 3000;
      while (performance.now() < until);
    });`;
    const gateway = await spawnNode(main, {
      nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(stall)}`],
      ready: READY,
      readyLimitMs: 20_000,
      env: { ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redis.url },
    });
    const client = clientOf(READY.exec(gateway.readyLine)?.[1] ?? '', HealthClient);
    const turns = (status: string) =>
      eventually(async () => expect(await healthOf(client, '')).toBe(status), 20_000);
    await turns('SERVING');
    gateway.kill('SIGUSR2');
    await turns('NOT_SERVING');
    expect(await healthOf(client, 'liveness')).toBe('SERVING');
    await turns('SERVING');
  }, 60_000);
});
