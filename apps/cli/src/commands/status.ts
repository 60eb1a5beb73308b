import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, EchoMQError, Queue } from '@echomq/sdk';
import { Command } from 'commander';
import { durationFrom } from '../arguments/duration.js';
import { overGateway, type Session } from '../gateway/over-gateway.js';
import { table } from '../output/table.js';
import type { Program } from '../program-state.js';
import { Screen } from '../terminal/screen.js';

interface Options {
  readonly once?: boolean;
  readonly interval: number;
  readonly prefix?: string;
}

/** How many queues are asked at one time. */
const AT_ONCE = 16;

const STATES = [
  'waiting',
  'prioritized',
  'delayed',
  'active',
  'waiting-children',
  'completed',
  'failed',
] as const;

/** A queue as a row of the table. */
interface Standing {
  readonly queue: string;
  readonly paused: boolean;
  readonly problem: string | undefined;
  readonly counts: Readonly<Partial<Record<(typeof STATES)[number], number>>>;
  readonly workers: number;
}

/** `echomq status`: how many jobs are where, over and over on a terminal. */
export function statusCommand(program: Program): Command {
  const command = new Command('status')
    .description(
      'Shows how many jobs are where in each queue, and who works; over and over on a terminal.',
    )
    .argument('[queues...]', 'only these; none: all that may be read')
    .option('--once', 'look once (always so where the output is no terminal, and with --json)')
    .option('--interval <span>', 'how often it looks', durationFrom(100), 2_000)
    .option('--prefix <text>', 'only queues whose names begin so');
  return overGateway<[string[]], Options>(command, program, async (session, options, [names]) => {
    const { terminal, json, connection } = session;
    if (json || options.once || !terminal.isLive) return showOnce(session, options, names);
    const screen = new Screen();
    while (!terminal.interrupted.aborted) {
      const rows = await standings(connection, names, options.prefix);
      screen.show(
        `${drawn(rows)}\n\n${connection.target}, ${new Date().toLocaleTimeString()}; Ctrl-C ends it`,
      );
      await sleep(options.interval, undefined, { signal: terminal.interrupted }).catch(() => {});
    }
  });
}

async function showOnce(
  { terminal, json, connection }: Session,
  { prefix }: Options,
  names: string[],
) {
  const rows = await standings(connection, names, prefix);
  if (json) for (const row of rows) await terminal.out(JSON.stringify(row));
  else await terminal.out(drawn(rows));
}

function drawn(rows: readonly Standing[]): string {
  if (rows.length === 0) return 'no queues';
  const numbers = [...STATES, 'workers'].map((head) => ({ head, right: true }));
  return table(
    [{ head: 'queue' }, ...numbers, { head: '' }],
    rows.map(({ queue, counts, workers, paused, problem }) => [
      queue,
      ...STATES.map((state) => `${counts[state] ?? 0}`),
      `${workers}`,
      problem ?? (paused ? 'paused' : ''),
    ]),
  );
}

async function standings(
  connection: Connection,
  names: readonly string[],
  prefix = '',
): Promise<Standing[]> {
  const known = await connection.getQueues({ prefix }).all();
  const wanted =
    names.length === 0
      ? known
      : names.map(
          (name) =>
            known.find((queue) => queue.name === name) ?? {
              name,
              paused: false,
              problem: undefined,
            },
        );
  const workers = new Map<string, number>();
  for (const { queues } of await connection.getWorkers().all()) {
    for (const queue of queues) workers.set(queue, (workers.get(queue) ?? 0) + 1);
  }
  const rows: Standing[] = [];
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const part = wanted.slice(from, from + AT_ONCE).map(async ({ name, paused, problem }) => {
      const counted = problem ? { counts: {} } : await counts(new Queue(name, { connection }));
      return { queue: name, paused, problem, ...counted, workers: workers.get(name) ?? 0 };
    });
    rows.push(...(await Promise.all(part)));
  }
  return rows;
}

/** How many jobs are where, or why that cannot be read where it says nothing of other queues: a key of another kind, say. */
async function counts(queue: Queue): Promise<Pick<Standing, 'counts'> & Partial<Standing>> {
  try {
    return { counts: await queue.getJobCounts() };
  } catch (error) {
    if (!(error instanceof EchoMQError && error.reason === 'SCRIPT_ERROR')) throw error;
    return { counts: {}, problem: 'cannot be read: `echomq doctor` says why' };
  }
}
