import type * as pb from '@echomq/proto/messages';
import type { HeldJob } from './held-job.js';
import type { LeaseDesk } from './lease-desk.js';
import type { OpenStream } from './open-stream.js';
import type { RunEnd } from './outcomes.js';
import type { Runs } from './runs.js';

/** What the intake works with. */
export interface IntakeParts<Data, Result> {
  readonly queues: readonly string[];
  /** The server is in this process. */
  readonly near: boolean;
  readonly leases: LeaseDesk<Data, Result>;
  readonly runs: Runs<Data, Result>;
  live(): OpenStream | undefined;
  /** The server has asked for a rest. */
  quiet(): boolean;
  /** Gives a job back that has not begun. */
  giveBack(held: HeldJob<Data, Result>): void;
}

/** How many jobs come in: the window that the server is told, and what is done with deliveries. */
export class Intake<Data, Result> {
  readonly #parts: IntakeParts<Data, Result>;
  #concurrency: number;
  #taking = true;
  /** Another stream is on its way: what the old one still delivers is left to go back. */
  #moving = false;
  #sentWindow = 0;
  /** Jobs whose handlers want their queue held, till the server has stored it. */
  readonly #holds = new Set<HeldJob<Data, Result>>();

  constructor(parts: IntakeParts<Data, Result>, concurrency: number) {
    this.#parts = parts;
    this.#concurrency = concurrency;
  }

  /** Handlers that may run at once. */
  get concurrency(): number {
    return this.#concurrency;
  }

  set concurrency(value: number) {
    this.#concurrency = value;
  }

  /** Whether jobs are wanted at all. */
  set taking(value: boolean) {
    this.#taking = value;
  }

  get load(): pb.WorkerLoad {
    return { running: this.#parts.runs.count, capacity: this.#concurrency };
  }

  /** A stream is asked for. Returns the window that it is to begin with. */
  opening(): number {
    this.#moving = this.#parts.live() !== undefined;
    this.#sentWindow = this.#window();
    return this.#sentWindow;
  }

  /** The stream that was asked for is up, or will not come. */
  settled(): void {
    this.#moving = false;
  }

  /** Takes what was delivered. What arrives together is accepted by one heartbeat, so it begins a turn later. */
  delivered(jobs: readonly pb.DeliveredJob[], begin: () => void): void {
    if (this.#moving) return;
    this.#parts.leases.take(jobs);
    // From a server in this process all of it is here once the microtasks of this turn are done.
    if (this.#parts.near) process.nextTick(begin);
    else setImmediate(begin);
  }

  /** A run is about to be reported. If its queue is to be held, nothing begins any more of what waits here for a slot. */
  ending(held: HeldJob<Data, Result>, { outcome }: RunEnd): void {
    if (outcome.kind?.$case !== 'rateLimited') return;
    this.#holds.add(held);
    this.#giveBack();
  }

  /** Starts what may start, or gives it back. Returns whether anything has begun. */
  begin(): boolean {
    const { live, leases, runs } = this.#parts;
    // The next stream was told what runs: what begins now it would not know, and what has not begun goes back.
    if (live() === undefined || this.#moving) return false;
    if (leases.held.count('buffered') === 0) return false;
    const free = this.#concurrency - runs.count;
    this.#giveBack();
    if (leases.held.count('buffered') === 0) return false;
    if (free <= 0) {
      // What waits for a slot is named too, though it need not be at once.
      leases.sayLater();
      return false;
    }
    const first = leases.held.inPhase('buffered').slice(0, free);
    leases.accept(first);
    if (leases.held.count('buffered') > 0) leases.sayLater();
    runs.run(first);
    return true;
  }

  /** Tells the server the window if it has changed. */
  tell(): void {
    const live = this.#parts.live();
    const window = this.#window();
    if (live === undefined || window === this.#sentWindow) return;
    this.#sentWindow = window;
    for (const queue of this.#parts.queues) {
      const value = { queue, maxInFlight: window, maxInFlightBytes: undefined };
      live.send({ $case: 'window', value });
    }
  }

  /** Gives back what waits here and is not to begin, the last first: each goes to the front. */
  #giveBack(): void {
    for (const by of this.#holds) if (by.phase === 'over') this.#holds.delete(by);
    if (this.#taking && this.#holds.size === 0) return;
    const held = new Set([...this.#holds].map(({ lease }) => lease.queue));
    for (const waiting of this.#parts.leases.held.inPhase('buffered').reverse()) {
      if (!this.#taking || held.has(waiting.lease.queue)) this.#parts.giveBack(waiting);
    }
  }

  /**
   * Twice what runs at once: the server knows from `load` how many that are, and lets others wait here only while
   * handlers end faster than jobs come. Handlers of lost jobs take places that the server thinks free.
   */
  #window(): number {
    if (!this.#taking || this.#parts.quiet()) return 0;
    const lost = this.#parts.runs.count - this.#parts.leases.held.count('running');
    return lost > 0 ? Math.max(0, this.#concurrency - lost) : 2 * this.#concurrency;
  }
}
