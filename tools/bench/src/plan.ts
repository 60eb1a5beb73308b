import type { ContenderName } from './contender.js';
import type { Params } from './measure.js';
import type { MeasureName } from './measures/index.js';

/** One line of the plan: a measure with its parameters, and who takes part. */
export interface Scene {
  readonly id: string;
  readonly title: string;
  readonly measure: MeasureName;
  readonly params: Params;
  readonly contenders: readonly ContenderName[];
  /** Redis writes an append-only file, synced each second. */
  readonly aof?: boolean;
  /** In the short form too. */
  readonly quick?: boolean;
}

const OURS = ['echomq-embedded', 'echomq-gateway'] as const;
const PEERS = ['bullmq6', 'bullmq5', 'bull', 'bee-queue', 'groupmq'] as const;
const ALL: readonly ContenderName[] = [...OURS, ...PEERS];
/** Those whose workers are in Python; they add and count by their packages for Node. */
const PYTHON = ['echomq-python', 'bullmq-python'] as const;
const WITH_UNARY: readonly ContenderName[] = [...OURS, 'echomq-unary', ...PEERS, ...PYTHON];
/** Those with a bulk add. */
const BULK = ALL.filter((name) => name !== 'groupmq');
/** Those on BullMQ's layout. */
const LAYOUT: readonly ContenderName[] = ['echomq-embedded', 'bullmq6'];

/** Everything that is measured, in the order of the report. */
export const SCENES: readonly Scene[] = [
  process(
    'process-1',
    'process, concurrency 1',
    { jobs: 6_000, warmUp: 2_000, concurrency: 1 },
    {
      quick: true,
    },
  ),
  process(
    'process-10',
    'process, concurrency 10',
    { jobs: 20_000, warmUp: 5_000, concurrency: 10 },
    { contenders: [...ALL, ...PYTHON] },
  ),
  process(
    'process-100',
    'process, concurrency 100, warm',
    { jobs: 40_000, warmUp: 20_000, concurrency: 100 },
    { contenders: WITH_UNARY, quick: true },
  ),
  process('process-100-cold', 'process, concurrency 100, cold', {
    jobs: 20_000,
    concurrency: 100,
  }),
  process('process-500', 'process, concurrency 500, warm', {
    jobs: 40_000,
    warmUp: 20_000,
    concurrency: 500,
  }),
  process('process-removed', 'process, concurrency 100, removed when finished', {
    jobs: 40_000,
    warmUp: 20_000,
    concurrency: 100,
    remove: true,
  }),
  process('process-1k', 'process, concurrency 100, 1 KiB payload', {
    jobs: 20_000,
    warmUp: 5_000,
    concurrency: 100,
    payloadBytes: 1_024,
  }),
  process(
    'process-aof',
    'process, concurrency 100, append-only file',
    { jobs: 20_000, warmUp: 5_000, concurrency: 100 },
    { contenders: [...OURS, 'bullmq6'], aof: true },
  ),
  scene(['add-sequential', 'add, one after the other'], 'add', { jobs: 6_000, warmUp: 1_000 }),
  scene(
    ['add-100', 'add, 100 concurrent'],
    'add',
    { jobs: 30_000, warmUp: 5_000, inFlight: 100 },
    { quick: true },
  ),
  scene(
    ['add-bulk', 'add, bulk of 1,000, one call at a time'],
    'add',
    { jobs: 40_000, warmUp: 10_000, bulk: 1_000 },
    { contenders: BULK, quick: true },
  ),
  scene(
    ['add-bulk-4', 'add, bulk of 1,000, four calls in flight'],
    'add',
    { jobs: 40_000, warmUp: 10_000, bulk: 1_000, inFlight: 4 },
    { contenders: BULK },
  ),
  scene(['pick-up', 'pick-up'], 'pickUp', { jobs: 1_000, warmUp: 200 }, { quick: true }),
  scene(['delayed', 'start of a delayed job after its due time'], 'delayed', {
    jobs: 200,
    warmUp: 20,
  }),
  process(
    'growth-waiting',
    'process, concurrency 100, 1,000,000 waiting',
    { jobs: 40_000, warmUp: 20_000, concurrency: 100, backlog: 940_000 },
    { contenders: LAYOUT },
  ),
  process(
    'growth-active',
    'process, concurrency 100, 10,000 older active',
    { jobs: 10_000, warmUp: 2_000, concurrency: 100, olderActive: 10_000 },
    { contenders: LAYOUT },
  ),
  scene(['memory', 'bytes of a job'], 'memory', { jobs: 100_000 }),
  scene(
    ['idle', '100 idle workers on 10 queues'],
    'idle',
    { jobs: 1, queues: 10, workers: 100 },
    {
      contenders: [...OURS, 'bullmq6', 'bullmq5'],
    },
  ),
  scene(
    ['fleet', '1,000 idle workers on one queue'],
    'idle',
    { jobs: 1, workers: 1_000 },
    {
      contenders: ['echomq-gateway'],
    },
  ),
];

type Rest = Partial<Pick<Scene, 'contenders' | 'quick' | 'aof'>>;

type Headed = readonly [id: string, title: string];

function process(id: string, title: string, params: Params, rest: Rest = {}): Scene {
  return scene([id, title], 'process', params, rest);
}

function scene([id, title]: Headed, measure: MeasureName, params: Params, rest: Rest = {}): Scene {
  return { id, title, measure, params, contenders: ALL, ...rest };
}

/** The short form of a scene: a third of the jobs, and only those whom the targets name. */
export function quick(scene: Scene): Scene {
  const contenders = scene.contenders.filter((name) => /^(echomq-(?!python)|bullmq6)/.test(name));
  return { ...part(scene, 1 / 3), contenders };
}

/** A scene with a part of its jobs. */
export function part(scene: Scene, share: number): Scene {
  const { params } = scene;
  const counts = (['jobs', 'warmUp', 'backlog', 'olderActive'] as const).flatMap((name) => {
    const count = params[name];
    return count === undefined ? [] : [[name, Math.ceil(count * share)] as const];
  });
  return { ...scene, params: { ...params, ...Object.fromEntries(counts) } };
}
