import { cpuOf } from './process-cpu.js';
import type { RedisMeter } from './redis-meter.js';

/** What passed between two moments. */
export interface Spent {
  readonly ms: number;
  /** CPU of this process, µs. */
  readonly nodeUs: number;
  /** CPU of the Redis server, µs. */
  readonly redisUs: number;
  /** CPU of the gateway, µs, where there is one. */
  readonly gatewayUs: number;
  /** CPU of the worker, µs, where it has a process of its own; this one then only counts. */
  readonly workerUs?: number;
  /** Commands that Redis has run, those of scripts included. */
  readonly commands: number;
}

/** Begins to measure; the returned function ends it. */
export async function span(
  redis: RedisMeter,
  {
    gateway: gatewayPid,
    worker,
  }: { readonly gateway: number; readonly worker?: number | undefined },
): Promise<() => Promise<Spent>> {
  const before = await redis.read();
  const gateway = cpuOf(gatewayPid);
  const ownWorker = worker === undefined ? 0 : cpuOf(worker);
  const cpu = process.cpuUsage();
  const start = performance.now();
  return async () => {
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    const gatewayUs = cpuOf(gatewayPid) - gateway;
    const workerUs = worker === undefined ? undefined : cpuOf(worker) - ownWorker;
    const after = await redis.read();
    return {
      ms,
      nodeUs: user + system,
      redisUs: after.cpuUs - before.cpuUs,
      gatewayUs,
      ...(workerUs === undefined ? {} : { workerUs }),
      commands: after.commands - before.commands,
    };
  };
}

/** The figures of a span over so many jobs. */
export function perJob(spent: Spent, jobs: number): Record<string, number> {
  return {
    jobsPerS: (jobs / spent.ms) * 1_000,
    ...(spent.workerUs === undefined
      ? { nodeUs: spent.nodeUs / jobs }
      : { workerUs: spent.workerUs / jobs }),
    redisUs: spent.redisUs / jobs,
    gatewayUs: spent.gatewayUs / jobs,
    commands: spent.commands / jobs,
  };
}
