import { type Bench, type Figures, insist } from '../measure.js';
import { cpuOf, memoryOf } from '../run/process-cpu.js';

/** After the start of the last worker, and how long is measured, ms. */
const CALM_MS = 2_000;
const MEASURED_MS = 5_000;
/** Workers that share a connection, as those of one process do: a gateway takes 1,000 calls at a time on one. */
const SHARING = 100;

/** Idle workers over some queues: what they cost, and how long the first job takes afterwards. */
export async function measureIdle(bench: Bench): Promise<Figures> {
  const { redis, place } = bench;
  const { queues = 1, workers = 1 } = bench.params;
  const opened = await Promise.all(
    Array.from({ length: queues }, (_, at) => bench.open(`${place.queue}-${at}`)),
  );
  const homes = await Promise.all(
    homesOf(queues, workers).map((queue, at) =>
      at < queues ? opened[at] : bench.open(`${place.queue}-${queue}`),
    ),
  );
  let arrived = () => {};
  const began = performance.now();
  const running = await Promise.all(
    Array.from({ length: workers }, (_, at) =>
      homes[at % homes.length]?.work({ concurrency: 1, remove: false, handler: () => arrived() }),
    ),
  );
  const startMs = performance.now() - began;
  await pause(CALM_MS);
  const before = await redis.read();
  const [node, gateway] = [process.cpuUsage(), cpuOf(place.gatewayPid ?? 0)];
  await pause(MEASURED_MS);
  const { user, system } = process.cpuUsage(node);
  const gatewayUs = cpuOf(place.gatewayPid ?? 0) - gateway;
  const after = await redis.read();
  const seconds = MEASURED_MS / 1_000;
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const sent = performance.now();
  await opened[0]?.add({ n: 0 });
  await arrival;
  const firstJobMs = performance.now() - sent;
  await Promise.all(running.map((worker) => worker?.close()));
  await Promise.all(homes.map((home) => home?.close()));
  insist(firstJobMs > 0, 'the first job has not run');
  return {
    commandsPerS: (after.commands - before.commands) / seconds,
    connections: after.clients,
    nodeCpuPercent: (user + system) / seconds / 1e4,
    gatewayCpuPercent: gatewayUs / seconds / 1e4,
    gatewayBytes: memoryOf(place.gatewayPid ?? 0),
    startMs,
    firstJobMs,
  };
}

/** The queue of each connection, so that no connection has more workers than share one; the first are one for each queue. */
export function homesOf(queues: number, workers: number): readonly number[] {
  const perQueue = Math.ceil(workers / queues / SHARING);
  return Array.from({ length: queues * perQueue }, (_, at) => at % queues);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
