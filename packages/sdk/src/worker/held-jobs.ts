import { ChurnMap } from '@echomq/proto/churn-map';
import type * as pb from '@echomq/proto/messages';
import type { HeldJob, HoldPhase } from './held-job.js';

/** The jobs in a worker's hands, by lease token, in the order of their deliveries. */
export class HeldJobs<Data, Result> {
  readonly #jobs = new ChurnMap<string, HeldJob<Data, Result>>();
  /** How many are in each phase: asked after every change, and there may be thousands of jobs. */
  readonly #counts: Record<HoldPhase, number> = { buffered: 0, running: 0, reported: 0, over: 0 };
  /** Those that have not begun: looked at after every change too. */
  readonly #buffered = new ChurnMap<string, HeldJob<Data, Result>>();

  get size(): number {
    return this.#jobs.size;
  }

  get(leaseToken: string): HeldJob<Data, Result> | undefined {
    return this.#jobs.get(leaseToken);
  }

  add(held: HeldJob<Data, Result>): void {
    this.#jobs.set(held.lease.leaseToken, held);
    this.#counts[held.phase] += 1;
    if (held.phase === 'buffered') this.#buffered.set(held.lease.leaseToken, held);
  }

  /** It comes to its next phase. */
  turn(held: HeldJob<Data, Result>, phase: HoldPhase): void {
    if (this.#jobs.get(held.lease.leaseToken) === held) {
      this.#counts[held.phase] -= 1;
      this.#counts[phase] += 1;
    }
    if (held.phase === 'buffered') this.#buffered.delete(held.lease.leaseToken);
    held.phase = phase;
  }

  /** It is held no longer. */
  forget(held: HeldJob<Data, Result>): void {
    const { leaseToken } = held.lease;
    if (this.#jobs.get(leaseToken) === held) {
      this.#counts[held.phase] -= 1;
      this.#jobs.delete(leaseToken);
    }
    if (held.phase === 'buffered') this.#buffered.delete(leaseToken);
    held.phase = 'over';
  }

  all(): HeldJob<Data, Result>[] {
    return this.#jobs.values();
  }

  /** In the order of their deliveries. */
  inPhase(phase: HoldPhase): HeldJob<Data, Result>[] {
    const jobs: HeldJob<Data, Result>[] = [];
    if (phase === 'buffered') return this.#buffered.values();
    if (this.#counts[phase] === 0) return jobs;
    for (const held of this.#jobs.values()) if (held.phase === phase) jobs.push(held);
    return jobs;
  }

  count(phase: HoldPhase): number {
    return this.#counts[phase];
  }

  /** What a new stream is told to go on with: all but what nobody has begun. */
  leases(): pb.JobLease[] {
    return this.all()
      .filter(({ phase }) => phase !== 'buffered')
      .map(({ lease }) => lease);
  }

  /** What a heartbeat says is held, all or some. Those that it is the first to name remember it. */
  named(seq: number, jobs: Iterable<HeldJob<Data, Result>> = this.#jobs.values()): pb.HeldJob[] {
    const named: pb.HeldJob[] = [];
    for (const held of jobs) {
      held.firstSeq ??= seq;
      named.push({ leaseToken: held.lease.leaseToken, running: held.phase !== 'buffered' });
    }
    return named;
  }
}
