import type { DeliveredJob, JobOutcome } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import type { Engine } from '../../src/engine.js';
import { systemClock } from '../../src/ports.js';
import { complete } from '../use-engine.js';
import { openOf, openWork, report, type TestWorker } from '../work-link.js';

/** The way to the worker and back, ms: far longer than its handlers, also on a busy machine. */
const TRIP_MS = 200;

/** The engine's clock: it jumps for each delivery, as if that had been on its way so long. */
export const farClock = {
  ...systemClock,
  jumpedMs: 0,
  now: () => systemClock.now() + farClock.jumpedMs,
};

/** A worker far away whose handlers take no time, until it is told to hold what it has. */
export interface FastWorker extends TestWorker {
  /** Jobs that it has begun and not ended, and those that wait for a slot, in their order. */
  readonly running: DeliveredJob[];
  readonly waiting: DeliveredJob[];
  /** From now on handlers do not end by themselves. */
  hold(): void;
  /** Ends the first that runs, completed unless said. */
  endOne(kind?: JobOutcome['kind']): void;
  /** Says what is held. */
  say(): void;
  release(job: DeliveredJob | undefined): void;
}

/** Opens a stream of a worker that runs `capacity` handlers at once. */
export function fastWorker(
  engine: Engine,
  queue: FreshQueue,
  {
    capacity = 2,
    window = 10,
    ...more
  }: { capacity?: number; window?: number } & Partial<ReturnType<typeof openOf>> = {},
): FastWorker {
  const worker = openWork(engine);
  const running: DeliveredJob[] = [];
  const waiting: DeliveredJob[] = [];
  let [holds, reports, seq] = [false, 0, 0];
  const say = () => {
    const held = [
      ...running.map((job) => ({ leaseToken: tokenOf(job), running: true })),
      ...waiting.map((job) => ({ leaseToken: tokenOf(job), running: false })),
    ];
    const holdings = { $case: 'held', value: { jobs: held } } as const;
    const load = { running: running.length, capacity };
    const value = { seq: ++seq, holdings, ackedThrough: 0, load };
    worker.send({ $case: 'heartbeat', value });
  };
  const begin = () => {
    const free = Math.max(0, capacity - running.length);
    running.push(...waiting.splice(0, free));
    say();
    if (!holds) while (running.length > 0) endOne();
  };
  const endOne = (kind: JobOutcome['kind'] = complete('1')) => {
    worker.send(report(++reports, running.shift(), kind));
    if (waiting.length > 0 || holds) begin();
  };
  worker.onMessage((message) => {
    if (message.$case !== 'delivery') return;
    const { jobs } = message.value;
    farClock.jumpedMs += TRIP_MS;
    setImmediate(() => {
      waiting.push(...jobs);
      begin();
    });
  });
  const open = openOf(queue, { load: { running: 0, capacity }, ...more }, window);
  worker.send({ $case: 'open', value: open });
  return {
    ...worker,
    running,
    waiting,
    hold: () => {
      holds = true;
    },
    endOne,
    say,
    release: (job) => {
      const at = job ? waiting.indexOf(job) : -1;
      if (at >= 0) waiting.splice(at, 1);
      worker.send(report(++reports, job, { $case: 'release', value: { toFront: true } }));
    },
  };
}

/** The token of a job's lease. */
export function tokenOf(job: DeliveredJob | undefined): string {
  return job?.lease?.leaseToken ?? '';
}
