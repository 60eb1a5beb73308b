import type { ContenderName } from '../contender.js';

/** A bound on a figure: as a ratio to BullMQ 6 in the same run, to another scene of the same contender, or as it is. */
export interface Target {
  readonly title: string;
  readonly scene: string;
  readonly contender: ContenderName;
  readonly figure: string;
  readonly floor: number;
  readonly goal: number;
  /** Smaller is better. */
  readonly lower?: boolean;
  /** The figure as it is; else its ratio to that of `to`. */
  readonly absolute?: boolean;
  /** What is known to stand in the way of more. */
  readonly inTheWay?: string;
  /** What it is compared with: BullMQ 6 in the same scene unless said otherwise. */
  readonly to?: { readonly scene?: string; readonly contender?: ContenderName };
}

const embedded = 'echomq-embedded';
const gateway = 'echomq-gateway';
const speed = { figure: 'jobsPerS' } as const;
const p50 = { scene: 'pick-up', figure: 'p50Ms', lower: true } as const;
const p99 = { scene: 'pick-up', figure: 'p99Ms', lower: true } as const;

const TAKE_TURNS = 'Worker and Redis take turns, so the time of both counts whole';
const FEW_TO_A_BATCH = 'Few jobs share what a batch costs by itself';
const THREE_PROCESSES =
  'Worker, gateway and Redis share the cores, and each message of the stream is a call of gRPC';

/** What is aimed for. */
export const TARGETS: readonly Target[] = [
  target('process, embedded, 100, warm', 'process-100', embedded, [1.8, 2.5]),
  hindered(FEW_TO_A_BATCH, target('process, embedded, 10', 'process-10', embedded, [1.6, 2.2])),
  hindered(TAKE_TURNS, target('process, embedded, 1', 'process-1', embedded, [1.25, 1.5])),
  hindered(
    THREE_PROCESSES,
    target('process through the gateway, 100', 'process-100', gateway, [1.2, 1.7]),
  ),
  hindered(
    THREE_PROCESSES,
    target('process through the gateway, 10', 'process-10', gateway, [0.8, 1.1]),
  ),
  ofPython('process by a Python worker through the gateway, 100', 'process-100'),
  ofPython('process by a Python worker through the gateway, 10', 'process-10'),
  target('unary calls of 50 through the gateway', 'process-100', 'echomq-unary', [0.8, 1.2]),
  hindered(TAKE_TURNS, target('add, sequential', 'add-sequential', embedded, [1.2, 1.4])),
  target('add, 100 concurrent', 'add-100', embedded, [1.6, 2]),
  target('add, bulk of 1,000, one at a time', 'add-bulk', embedded, [2, 3]),
  target('add, bulk of 1,000, four in flight', 'add-bulk-4', embedded, [3, 5]),
  { title: 'pick-up p50, embedded', contender: embedded, ...p50, floor: 0.6, goal: 0.4 },
  { title: 'pick-up p99, embedded', contender: embedded, ...p99, floor: 0.6, goal: 0.4 },
  { title: 'pick-up p50, gateway', contender: gateway, ...p50, floor: 1, goal: 0.7 },
  { title: 'pick-up p99, gateway', contender: gateway, ...p99, floor: 1, goal: 0.7 },
  {
    title: 'start of a delayed job after its due time, p99, ms',
    scene: 'delayed',
    contender: embedded,
    figure: 'p99Ms',
    floor: 10,
    goal: 3,
    lower: true,
    absolute: true,
  },
  {
    title: '1M against few waiting, throughput kept',
    scene: 'growth-waiting',
    contender: embedded,
    ...speed,
    floor: 0.85,
    goal: 0.95,
    to: { scene: 'process-100', contender: embedded },
  },
  {
    title: '10,000 against few older active jobs, throughput kept',
    scene: 'growth-active',
    contender: embedded,
    ...speed,
    floor: 0.8,
    goal: 0.95,
    to: { scene: 'process-100', contender: embedded },
  },
  {
    title: 'bytes of a waiting job',
    scene: 'memory',
    contender: embedded,
    figure: 'waitingBytes',
    floor: 1,
    goal: 1,
    lower: true,
  },
  {
    title: 'bytes of a completed job, receipts counted',
    scene: 'memory',
    contender: embedded,
    figure: 'completedBytes',
    floor: 1,
    goal: 1,
    lower: true,
  },
  absolute('Redis connections, 1,000 workers on one gateway', 'fleet', 'connections', [6, 3]),
  absolute('commands/s, 100 idle workers on 10 queues', 'idle', 'commandsPerS', [20, 5]),
  absolute('gateway memory, 1,000 idle streams, bytes', 'fleet', 'gatewayBytes', [180e6, 130e6]),
  absolute('first job with 1,000 idle streams, ms', 'fleet', 'firstJobMs', [1_000, 400]),
];

/** A bound on the Redis time of a transition, as a ratio to its yardstick; `call` is its id in the calls table. */
export interface CallTarget {
  readonly title: string;
  readonly call: string;
  readonly floor: number;
  readonly goal: number;
  readonly lower: true;
}

/** What is aimed for in the calls table: what each job meets. */
export const CALL_TARGETS: readonly CallTarget[] = [
  ['add, alone, embedded', 'add-slot'],
  ['add, in a batch of 100, embedded', 'add-batch'],
  ['add, in a bulk of 1,000, gateway', 'add-bulk'],
  ['finish with next job, alone, embedded', 'finish-next-slot'],
  ['finish with next job, alone, gateway', 'finish-next-receipt'],
  ['finish with next job, in a batch of 50, embedded', 'finish-batch-50'],
].map(([title, call = '']) => {
  const bounds = { floor: 1.3, goal: 1.1, lower: true } as const;
  return { title: `Redis µs to the smallest script: ${title}`, call, ...bounds };
});

type Bounds = readonly [floor: number, goal: number];

function target(
  title: string,
  scene: string,
  contender: ContenderName,
  [floor, goal]: Bounds,
): Target {
  return { title, scene, contender, ...speed, floor, goal };
}

/** To the package of PyPI. */
function ofPython(title: string, scene: string): Target {
  const one = target(`${title}, to bullmq of PyPI`, scene, 'echomq-python', [1.5, 3]);
  return { ...one, to: { contender: 'bullmq-python' } };
}

function hindered(inTheWay: string, target: Target): Target {
  return { ...target, inTheWay };
}

function absolute(title: string, scene: string, figure: string, [floor, goal]: Bounds): Target {
  return { title, scene, contender: gateway, figure, floor, goal, lower: true, absolute: true };
}
