/** Somebody who adds delayed jobs and runs them. */
export interface LateTaker {
  /** Adds a job that is due after so many ms. Returns its id. */
  add(delayMs: number): Promise<string>;
  /** Begins to take jobs; told of each at the instant at which its handler begins. */
  work(onStart: (id: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** How late things were, ms. */
export interface Late {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How late jobs began, ms. */
export interface Lateness extends Late {
  readonly jobs: number;
}

/** How many jobs are measured, and how far apart they are due, ms. */
export interface LatenessSize {
  readonly jobs: number;
  readonly apartMs: number;
}

/** Jobs that run before it is measured: the first use of a script or a connection is none that is late. */
const WARM_UP = 10;
/** The first is due so long after it was added, ms. */
const LEAD_MS = 500;
/** A job that has not begun so long after the last was due counts as lost, ms. */
const LOST_MS = 20_000;

/**
 * Adds delayed jobs that are due one after the other, so that the machine is idle in between, and measures when each
 * handler begins.
 *
 * @param dueAt when a job was due by what the store holds of it, ms since the epoch
 * @throws Error when a job does not begin
 */
export async function measureLateness(
  taker: LateTaker,
  dueAt: (id: string) => Promise<number>,
  { jobs, apartMs }: LatenessSize,
): Promise<Lateness> {
  const began = new Map<string, number>();
  let awaited = { count: WARM_UP, note: () => {} };
  const allBegun = (count: number) =>
    new Promise<void>((resolve) => {
      awaited = { count, note: resolve };
    });
  const warm = allBegun(WARM_UP);
  await taker.work((id) => {
    began.set(id, performance.timeOrigin + performance.now());
    if (began.size === awaited.count) awaited.note();
  });
  for (let at = 1; at <= WARM_UP; at += 1) await taker.add(at * 20);
  await within(warm, LOST_MS);
  began.clear();
  const all = allBegun(jobs);
  for (let at = 0; at < jobs; at += 1) {
    // A part of a ms more each time: no phase of any timer is favoured.
    await taker.add(LEAD_MS + Math.round(at * (apartMs + 0.37)));
  }
  await within(all, LEAD_MS + jobs * (apartMs + 1) + LOST_MS);
  const late = await Promise.all([...began].map(async ([id, at]) => at - (await dueAt(id))));
  return { jobs: late.length, ...lateOf(late) };
}

/** When a job was due, from what its hash holds: it was added then, with that delay. */
export function dueOf(timestamp: unknown, opts: unknown): number {
  const { delay = 0 } = JSON.parse(String(opts)) as { readonly delay?: number };
  return Number(timestamp) + delay;
}

async function within(all: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('jobs did not begin')), ms);
  });
  await Promise.race([all, late]).finally(() => clearTimeout(timer));
}

/** The middle and the end of what was measured. */
export function lateOf(late: readonly number[]): Late {
  const sorted = [...late].sort((a, b) => a - b);
  const of = (part: number) => {
    const at = Math.min(sorted.length - 1, Math.floor(sorted.length * part));
    return Math.round((sorted[at] ?? Number.NaN) * 10) / 10;
  };
  return { p50: of(0.5), p99: of(0.99), max: of(1) };
}
