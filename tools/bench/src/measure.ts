import type { Opened, Payload, Place } from './contender.js';
import type { RedisMeter } from './run/redis-meter.js';

/** What one run of a measure has found: figures by name, in the unit that the name ends with. */
export type Figures = Readonly<Record<string, number>>;

/** What a measure works with in its own process. */
export interface Bench {
  readonly place: Place;
  readonly params: Params;
  readonly redis: RedisMeter;
  /** Opens the contender's queue once more, under another name if one is given. */
  open(queue?: string): Promise<Opened>;
}

/** The parameters of a run. Each measure names those that it reads. */
export interface Params {
  readonly jobs: number;
  readonly warmUp?: number;
  readonly concurrency?: number;
  readonly remove?: boolean;
  readonly payloadBytes?: number;
  /** Calls that are under way at once, when adding. */
  readonly inFlight?: number;
  /** Jobs of one bulk call. */
  readonly bulk?: number;
  /** Ids that stand in `active` beforehand and stay there. */
  readonly olderActive?: number;
  /** Jobs that wait besides those that are measured. */
  readonly backlog?: number;
  readonly queues?: number;
  readonly workers?: number;
}

/** One way to measure. It throws when the books of the run do not balance: such a run counts for nothing. */
export type Measure = (bench: Bench) => Promise<Figures>;

/** The payloads of a run. */
export function payloads({ jobs, warmUp = 0, backlog = 0, payloadBytes = 0 }: Params): Payload[] {
  const filler = payloadBytes > 0 ? { filler: 'x'.repeat(payloadBytes) } : {};
  return Array.from({ length: jobs + warmUp + backlog }, (_, n) => ({ n, ...filler }));
}

/** Fails a run whose books do not balance. */
export function insist(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the books do not balance: ${what}`);
}
