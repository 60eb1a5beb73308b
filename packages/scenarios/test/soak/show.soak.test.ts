import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, storeFaults, tcpProxy } from '@echomq/testkit';
import { expect, it } from 'vitest';
import {
  add,
  checkBooks,
  checkHistory,
  countsOf,
  gatewayProcess,
  History,
  LOCK_MS,
  RawClient,
  type RigGateway,
  useRig,
  type WorkerProcess,
  workerProcess,
} from '../../src/index.js';

const LONG = process.env.ECHOMQ_SOAK === 'long';
const LOAD_MS = Number(process.env.ECHOMQ_SOAK_MS ?? (LONG ? 20 * 60_000 : 60_000));
const FAULT_MS = 5_000;
/** Between two adds, ms: what four workers can bear on a busy machine. */
const ADD_MS = 60;
const AFTER_MS = 180_000;

// The rig has the store; the gateways are this test's own, for they die.
const rig = useRig({
  gateways: 0,
  redis: { persistence: 'aof', args: ['--appendfsync', 'always'] },
});

interface Parts {
  readonly queue: string;
  readonly history: History;
  readonly gateways: RigGateway[];
  readonly workers: WorkerProcess[];
  readonly flags: readonly string[];
  names: number;
}

async function newWorker(parts: Parts, at: number): Promise<WorkerProcess> {
  parts.names += 1;
  return workerProcess(parts.history, {
    address: parts.gateways[at % parts.gateways.length]?.address ?? '',
    ...{
      queue: parts.queue,
      name: `w${parts.names}`,
      ms: 600,
      concurrency: 4,
      lockMs: 5 * LOCK_MS,
    },
  });
}

/** A gateway of the same address takes the place of one that was killed. */
async function killGateway(parts: Parts, at: number): Promise<void> {
  const old = parts.gateways[at] as RigGateway;
  old.process?.kill('SIGKILL');
  await old.process?.exit.wait();
  await sleep(500);
  parts.gateways[at] = await gatewayProcess([...parts.flags, `--listen=${old.address}`]);
}

async function killWorker(parts: Parts, at: number): Promise<void> {
  await parts.workers[at]?.die();
  parts.workers[at] = await newWorker(parts, at);
}

it(`two gateways, four workers and a fault every ${FAULT_MS} ms, for ${LOAD_MS / 1_000} s`, {
  timeout: LOAD_MS + 600_000,
}, async () => {
  const began = Date.now();
  const { server } = rig.redis;
  await using proxy = await tcpProxy(
    server.socketPath === undefined ? (server.port ?? 0) : { path: server.socketPath },
  );
  const admin = rig.redis.connect({ maxRetriesPerRequest: null });
  const faults = storeFaults(admin);
  const flags = [
    `--redis-url=redis://127.0.0.1:${proxy.port}`,
    ...[`--default-lock-ms=${LOCK_MS}`, '--stalled-interval-ms=1000', '--max-stalled-count=1000'],
  ];
  const { name: queue } = rig.freshQueue();
  const parts: Parts = {
    ...{ queue, flags, names: 0, workers: [] },
    history: new History(() => Date.now()),
    gateways: await Promise.all([gatewayProcess(flags), gatewayProcess(flags)]),
  };
  for (let at = 0; at < 4; at++) parts.workers.push(await newWorker(parts, at));
  const kinds: Readonly<Record<string, (turn: number) => Promise<unknown>>> = {
    'kill a gateway': (turn) => killGateway(parts, turn % 2),
    'kill a worker': (turn) => killWorker(parts, turn % 4),
    'SCRIPT FLUSH': () => faults.flushScripts(),
    'CLIENT KILL': () => faults.killClients(),
    'CLIENT PAUSE': () => faults.pauseClients(1_000),
    'cut the proxy': async () => proxy.cut(),
    'restart the store': () => server.restart(),
  };
  const added = new Set<string>();
  const unsure = { count: 0 };
  const until = Date.now() + LOAD_MS;
  const producing = produce(parts, { until, added, unsure });
  let turn = 0;
  const names = Object.keys(kinds);
  for (; Date.now() < until; turn++) {
    const next = Date.now() + FAULT_MS;
    await kinds[names[turn % names.length] ?? '']?.(Math.floor(turn / names.length));
    for (const worker of parts.workers) worker.note();
    await sleep(Math.max(0, next - Date.now()));
  }
  await producing;
  const { key, read } = {
    key: (part: string) => `bull:${queue}:${part}`,
    read: () => rig.redis.freshQueue({ name: queue }).read(),
  };
  await eventually(async () => {
    const open = await Promise.all([
      admin.llen(key('wait')),
      admin.llen(key('active')),
      admin.zcard(key('delayed')),
    ]);
    expect(open).toEqual([0, 0, 0]);
  }, AFTER_MS);
  for (const worker of parts.workers) worker.note();
  const dump = await read();
  const completed = new Set((dump.completed as [string, number][]).map(([id]) => id));
  const jobs = [...added].length;
  process.stdout.write(
    `soak: ${Math.round((Date.now() - began) / 1_000)} s, ${turn} faults (${names.join(', ')}), ${jobs} adds acknowledged, ` +
      `${unsure.count} refused or unsure, ${JSON.stringify(countsOf(dump))}, ${parts.history.count('started')} runs, ` +
      `${parts.history.count('lost')} lost\n`,
  );
  for (const worker of parts.workers) await worker.stop();
  for (const gateway of parts.gateways) await gateway.stop();
  expect([...added].filter((id) => !completed.has(id))).toEqual([]);
  // An add whose answer was lost may have been carried out: it is stored, and was never said to be accepted.
  const problems = checkBooks(dump, { atRest: true });
  expect(problems).toEqual([]);
  for (const id of completed) parts.history.note({ kind: 'accepted', job: id }, began);
  expect(checkHistory(parts.history, { mayBeOpen: (id) => completed.has(id) })).toEqual([]);
});

/** Adds through both gateways in turn; what is refused is counted and not added again. */
async function produce(
  parts: Parts,
  {
    until,
    added,
    unsure,
  }: { readonly until: number; readonly added: Set<string>; readonly unsure: { count: number } },
): Promise<void> {
  for (let turn = 0; Date.now() < until; turn++) {
    const raw = new RawClient(parts.gateways[turn % 2]?.address ?? '');
    try {
      for (let count = 0; count < 25 && Date.now() < until; count++) {
        added.add(await add(raw, parts.queue));
        await sleep(ADD_MS);
      }
    } catch {
      unsure.count += 1;
      await sleep(200);
    } finally {
      raw.close();
    }
  }
}
