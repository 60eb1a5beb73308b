import { writeFileSync } from 'node:fs';
import { arch, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { connect } from '@echomq/sdk';
import { embedded } from '@echomq/sdk/embedded';
import { eventually, spawnNode, useRedis } from '@echomq/testkit';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { bullHouse } from '../src/peers/bull-house.js';
import { pythonHouse } from '../src/peers/python-house.js';
import { installPython, PYTHON_BULLMQ } from '../src/peers/python-package.js';
import { sdkHouse } from '../src/peers/sdk-house.js';
import { audit } from '../src/run/audit.js';
import { mixedRun, type Participant, type RunSize } from '../src/run/mixed-run.js';
import { readQueueBooks, unfinished } from '../src/run/queue-books.js';
import { type ClosedRun, report } from '../src/run/report.js';

const JOBS = Number(process.env.ECHOMQ_PEERS_JOBS ?? 1_500);
const FULL = JOBS > 5_000;
const SIZE: RunSize = {
  jobs: JOBS,
  scheduled: FULL ? 40 : 8,
  pauses: FULL ? 16 : 4,
  limitMs: FULL ? 1_500_000 : 150_000,
};
const PAGE = fileURLToPath(new URL('../../../docs/compatibility-peers.md', import.meta.url));
const GATEWAY = fileURLToPath(new URL('../../../apps/gateway/build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;
/** Runs of each worker at one time. */
const CONCURRENCY = 4;

const python = await installPython();
afterAll(async () => {
  if ('python' in python) await python.remove();
});

const redis = useRedis();
let closed: ClosedRun | undefined;

/** Everybody at one queue. */
async function participants(queueName: string): Promise<Participant[]> {
  const { socketPath } = redis.server;
  if (socketPath === undefined) throw new Error('the server has no socket');
  const gateway = await spawnNode(GATEWAY, {
    ready: READY,
    readyLimitMs: 30_000,
    env: { ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redis.url, ECHOMQ_LOG_LEVEL: 'warn' },
  });
  const address = READY.exec(gateway.readyLine)?.[1] ?? '';
  const bull = { concurrency: CONCURRENCY, maxEvents: 10_000_000 };
  const direct = embedded({ redis: redis.url });
  const all: Participant[] = [
    {
      name: 'bullmq 6.7.0',
      house: bullHouse('6.7.0', socketPath, queueName, bull),
      mayPause: true,
    },
    {
      name: 'bullmq 5.81.5',
      house: bullHouse('5.81.5', socketPath, queueName, bull),
      mayPause: false,
    },
    { name: 'EchoMQ, direct', house: sdkHouse(direct, queueName, CONCURRENCY), mayPause: true },
    {
      name: 'EchoMQ over gRPC',
      house: sdkHouse(connect({ address }), queueName, CONCURRENCY),
      mayPause: true,
    },
  ];
  if ('python' in python) {
    const ground = { python: python.python, socketPath, concurrency: CONCURRENCY };
    const name = `${PYTHON_BULLMQ.replace('==', ' ')} (PyPI)`;
    all.push({ name, house: pythonHouse(ground, queueName), mayPause: true });
  }
  return all;
}

it(
  `${JOBS} jobs of all kinds by all peers at one queue: each runs once per planned attempt`,
  async () => {
    const queue = redis.freshQueue();
    const peers = await participants(queue.name);
    let open: Participant[] = peers;
    const closeAll = async () => {
      await Promise.all(open.splice(0).map(({ house }) => house.close()));
    };
    onTestFinished(closeAll);

    const run = await mixedRun(peers, SIZE);
    const names = peers.map(({ name }) => name);
    await eventually(async () => expect(await unfinished(redis.client, queue.base)).toBe(0), 20_000)
      // The books say what is left.
      .catch(() => undefined);
    await closeAll();
    open = [];
    const books = await readQueueBooks(redis.client, queue.base);
    const missing = 'missing' in python ? [`${PYTHON_BULLMQ} (${python.missing})`] : [];
    closed = {
      ...{ size: SIZE, run, books, missing, participants: names },
      audit: audit(run.fates, run.notes, books),
    };

    process.stdout.write(`\n${report(closed)}\n\n`);
    const none: readonly string[] = [];
    expect(closed.audit).toEqual({
      ...{ wrongRuns: none, wrongEnds: none, wrongPlaces: none },
      ...{ wrongEvents: none, leftovers: none },
    });
    expect(run.scheduled).toEqual(names.map(() => SIZE.scheduled));
    for (const name of names) expect(run.notes.runs.some(({ by }) => by === name)).toBe(true);
    if (process.env.ECHOMQ_COMPAT_WRITE) writeFileSync(PAGE, page(closed));
  },
  SIZE.limitMs + 120_000,
);

it.skipIf('missing' in python)('the bullmq of PyPI took part', () => {
  expect(closed?.run.notes.runs.some(({ by }) => by.includes('PyPI'))).toBe(true);
});

function page(run: ClosedRun): string {
  const [cpu] = cpus();
  const machine = [
    `${cpus().length} × ${cpu?.model.trim() || arch()}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `Node ${process.versions.node}`,
  ].join(', ');
  return `# All peers at one queue

Printed by \`pnpm --filter @echomq/compat run peers\`, which runs and checks this on a private Redis and
writes this page. A smaller form of it is part of every test run.

BullMQ 6, BullMQ 5, EchoMQ in the process, EchoMQ over a gateway process and BullMQ for Python add to one
queue and work on it, all at once, each with ${CONCURRENCY} runs at a time: jobs that are delayed, prioritized,
put in front, retried, failed, removed; flows, schedules, and pauses while all of it goes on. BullMQ 5 pauses
nothing, as [compatibility.md](compatibility.md) asks; it adds and works while others have paused.

Machine: ${machine}. The Redis server, the gateway,
Python and the process with the other workers shared it with other work. The speed is that of this mixture
under checks, not of any system in it.

${report(run)}
`;
}
