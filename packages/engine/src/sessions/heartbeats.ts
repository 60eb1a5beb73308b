import {
  type HeldJob,
  JobSignalKind,
  LeaseStatus,
  type WorkerLoad,
  type WorkHeartbeat,
} from '@echomq/proto/messages';
import type { Holding, SessionEffect } from './effects.js';
import { LastSet } from './held-set.js';
import type { Holdings } from './holdings.js';
import { namesTooMany } from './named-bound.js';
import type { Pace } from './pace.js';
import type { ReportMemory } from './report-memory.js';
import { jobSignal } from './session-messages.js';
import type { SessionSpans } from './terms.js';
import type { Windows } from './windows.js';

/** What the last heartbeat told besides what is held. */
export interface LastHeartbeat {
  readonly load?: WorkerLoad;
  /** By how much it came later than it should have, ms; absent: there were not two yet. */
  readonly lagMs?: number;
}

/** What a worker says that it holds, compared with what it was given. */
export class Heartbeats {
  readonly #lastSet = new LastSet();
  /** Counts the whole sets: what the current one does not name is held no longer. */
  #sets = 0;
  #last: LastHeartbeat = {};
  #lastAt: number | undefined;

  constructor(
    private readonly parts: {
      readonly holdings: Holdings;
      readonly windows: Windows;
      readonly memory: ReportMemory;
      readonly pace: Pace;
      /** `acceptMs`: a delivery may go unnamed for so long. */
      readonly spans: Pick<SessionSpans, 'acceptMs' | 'heartbeatMs'>;
    },
  ) {}

  /** What the last one told. */
  get last(): LastHeartbeat {
    return this.#last;
  }

  /** Whether the last set named this lease, or a heartbeat since. */
  names({ namedIn }: Holding): boolean {
    return namedIn === this.#sets;
  }

  /** A heartbeat came in. */
  receive(heartbeat: WorkHeartbeat, now: number): SessionEffect[] {
    const { seq, load, holdings } = heartbeat;
    const tooMany = namesTooMany(holdings, this.parts.holdings.size);
    if (tooMany) return [{ kind: 'end', error: tooMany }];
    this.parts.memory.acknowledge(heartbeat.ackedThrough);
    this.#note(load, now);
    const effects: SessionEffect[] = [];
    if (load && load.capacity > 0) {
      this.parts.windows.limitTo(load.capacity);
      effects.push({ kind: 'demand' });
    }
    const begun: Holding[] = [];
    const named = this.#namedBy(holdings);
    const strangers = named?.filter((job) => !this.#claim(job, now, begun)) ?? [];
    if (begun.length > 0) effects.push({ kind: 'begun', holdings: begun });
    if (named && holdings?.$case !== 'more') effects.push(...this.#letGoUnnamed(now));
    for (const { leaseToken: token } of strangers) {
      effects.push(jobSignal({ queue: '', jobId: '', token }, JobSignalKind.LOCK_LOST));
    }
    const leases = strangers.map(({ leaseToken }) => {
      return { leaseToken, status: LeaseStatus.LOST, lockTtl: undefined };
    });
    effects.push({ kind: 'send', message: { $case: 'heartbeatAck', value: { seq, leases } } });
    return effects;
  }

  /** What a heartbeat names, be it one by one or by a digest; `undefined`: it says nothing of what is held. */
  #namedBy(holdings: WorkHeartbeat['holdings']): readonly HeldJob[] | undefined {
    switch (holdings?.$case) {
      case 'held':
        this.#sets++;
        this.#lastSet.replace(holdings.value.jobs);
        return holdings.value.jobs;
      case 'more':
        this.#lastSet.replace(undefined);
        return holdings.value.jobs;
      case 'unchanged':
        return this.#lastSet.find(holdings.value);
      default:
        return undefined;
    }
  }

  #note(load: WorkerLoad | undefined, now: number): void {
    const gapMs = this.#lastAt === undefined ? undefined : now - this.#lastAt;
    this.#lastAt = now;
    const lagMs = gapMs === undefined ? {} : { lagMs: gapMs - this.parts.spans.heartbeatMs };
    this.#last = { ...this.#last, ...(load ? { load } : {}), ...lagMs };
  }

  /** The worker says that it holds this job; false when it does not. `begun` gets what the store must hear of. */
  #claim({ leaseToken, running }: HeldJob, now: number, begun: Holding[]): boolean {
    const holding = this.parts.holdings.get(leaseToken);
    // It may not have seen yet how the job ended.
    if (!holding) return this.parts.memory.hasEnded(leaseToken);
    // One that waits for a slot need not be named at once.
    if (!holding.accepted && !holding.buffered) {
      this.parts.pace.answered(now - holding.deliveredAt, now);
    }
    this.parts.holdings.accept(holding);
    holding.namedIn = this.#sets;
    if (running && !holding.running) {
      holding.running = true;
      holding.begunAt = now;
      if (holding.buffered) begun.push(holding);
    }
    return true;
  }

  /**
   * What the worker does not name goes back to the front. Where its report was refused, and it has no other, the lock
   * is left to run out: the sweep counts that, so that a job whose end cannot be stored does not run for ever.
   */
  #letGoUnnamed(now: number): SessionEffect[] {
    const { holdings, spans } = this.parts;
    const unnamed = holdings
      .all()
      .filter(
        (holding) =>
          !holding.reporting && !this.names(holding) && now - holding.deliveredAt >= spans.acceptMs,
      );
    const givenUp = unnamed.filter(({ refused }) => refused);
    return [
      ...givenUp.flatMap((holding) => holdings.remove(holding)),
      ...(givenUp.length > 0 ? [{ kind: 'demand' } as const] : []),
      ...holdings.release(unnamed.filter(({ refused }) => !refused)),
    ];
  }
}
