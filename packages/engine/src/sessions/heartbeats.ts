import {
  type HeldJob,
  JobSignalKind,
  LeaseStatus,
  type WorkHeartbeat,
} from '@echomq/proto/messages';
import type { SessionEffect } from './effects.js';
import { HeldNames } from './held-set.js';
import type { Holdings } from './holdings.js';
import type { ReportMemory } from './report-memory.js';
import { jobSignal } from './session-messages.js';
import type { Windows } from './windows.js';

/** What a worker says that it holds, compared with what it was given. */
export class Heartbeats {
  readonly #named = new HeldNames();

  constructor(
    private readonly parts: {
      readonly holdings: Holdings;
      readonly windows: Windows;
      readonly memory: ReportMemory;
      /** A delivery may go unnamed for so long, ms. */
      readonly acceptMs: number;
    },
  ) {}

  /** Whether the last set named this lease. */
  names(token: string): boolean {
    return this.#named.has(token);
  }

  /** A heartbeat came in. */
  receive(heartbeat: WorkHeartbeat, now: number): SessionEffect[] {
    const { seq, load, holdings } = heartbeat;
    this.parts.memory.acknowledge(heartbeat.ackedThrough);
    const effects: SessionEffect[] = [];
    if (load && load.capacity > 0) {
      this.parts.windows.limitTo(load.capacity);
      effects.push({ kind: 'demand' });
    }
    let strangers: readonly HeldJob[] = [];
    const same = holdings?.$case === 'unchanged' && this.#named.matches(holdings.value);
    if (holdings?.$case === 'held') this.#named.replace(holdings.value.jobs);
    if (same || holdings?.$case === 'held') {
      strangers = this.#named.jobs.filter((job) => !this.#claim(job));
      effects.push(...this.#releaseUnnamed(now));
    }
    for (const { leaseToken: token } of strangers) {
      effects.push(jobSignal({ queue: '', jobId: '', token }, JobSignalKind.LOCK_LOST));
    }
    const leases = strangers.map(({ leaseToken }) => {
      return { leaseToken, status: LeaseStatus.LOST, lockTtl: undefined };
    });
    effects.push({ kind: 'send', message: { $case: 'heartbeatAck', value: { seq, leases } } });
    return effects;
  }

  /** The worker says that it holds this job; false when it does not. */
  #claim({ leaseToken, running }: HeldJob): boolean {
    const holding = this.parts.holdings.get(leaseToken);
    // It may not have seen yet how the job ended.
    if (!holding) return this.parts.memory.hasEnded(leaseToken);
    this.parts.holdings.accept(holding);
    holding.running ||= running;
    return true;
  }

  #releaseUnnamed(now: number): SessionEffect[] {
    const unnamed = [...this.parts.holdings.all()].filter(
      ({ reporting, token, deliveredAt }) =>
        !reporting && !this.#named.has(token) && now - deliveredAt >= this.parts.acceptMs,
    );
    return this.parts.holdings.release(unnamed);
  }
}
