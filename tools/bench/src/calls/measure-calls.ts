import { startLocalRedis } from '@echomq/local-redis';
import type { CallCase } from './call-case.js';
import { CALL_CASES } from './cases/index.js';
import { type Side, Stage } from './stage.js';
import { callCount } from './statistics.js';

/** What one side of a case costs, per job. */
export interface Cost {
  /** Commands, the EVALSHA included. */
  readonly commands: number;
  /** µs of Redis, of the script with all that it calls. */
  readonly us: number;
}

/** One line of the table. */
export interface CallRow {
  readonly id: string;
  readonly title: string;
  readonly ours: Cost;
  readonly yardstick: Cost;
}

/**
 * Plays every case on a private server, both sides in turn in each round. Times are the mean of the faster half of the
 * rounds: what else the machine does only ever adds.
 *
 * @param note told of each case that is measured
 */
export async function measureCalls(
  rounds: number,
  note: (row: CallRow) => void = () => undefined,
): Promise<readonly CallRow[]> {
  const server = await startLocalRedis({ persistence: 'none' });
  try {
    const stage = await Stage.open(server.url);
    try {
      const rows: CallRow[] = [];
      for (const each of CALL_CASES) {
        const row = await measure(stage, each, rounds);
        note(row);
        rows.push(row);
      }
      return rows;
    } finally {
      await stage.close();
    }
  } finally {
    await server.stop();
  }
}

async function measure(stage: Stage, each: CallCase, rounds: number): Promise<CallRow> {
  const times: Record<Side, number[]> = { ours: [], yardstick: [] };
  const counts: Record<Side, Set<number>> = { ours: new Set(), yardstick: new Set() };
  // The first time brings the script's body.
  await stage.play(each, 'ours');
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['ours', 'yardstick'] as const) {
      const spent = await stage.play(each, side);
      times[side].push(spent.scriptUs);
      counts[side].add(callCount(spent));
    }
  }
  const cost = (side: Side): Cost => ({
    commands: onlyOne(counts[side], `${each.id}, ${side}`) / each.jobs,
    us: fasterHalf(times[side]) / each.jobs,
  });
  return { id: each.id, title: each.title, ours: cost('ours'), yardstick: cost('yardstick') };
}

function onlyOne(counts: ReadonlySet<number>, what: string): number {
  const [first, ...others] = counts;
  if (first === undefined || others.length > 0) {
    throw new Error(`${what}: the rounds ran ${[...counts].join(', ')} commands`);
  }
  return first;
}

function fasterHalf(times: readonly number[]): number {
  const half = [...times].sort((a, b) => a - b).slice(0, Math.ceil(times.length / 2));
  return half.reduce((sum, time) => sum + time, 0) / half.length;
}
