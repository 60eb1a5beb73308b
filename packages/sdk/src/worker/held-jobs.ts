import type * as pb from '@echomq/proto/messages';
import type { HeldJob, HoldPhase } from './held-job.js';

/** The jobs in a worker's hands, by lease token, in the order of their deliveries. */
export class HeldJobs<Data, Result> {
  readonly #jobs = new Map<string, HeldJob<Data, Result>>();

  get size(): number {
    return this.#jobs.size;
  }

  get(leaseToken: string): HeldJob<Data, Result> | undefined {
    return this.#jobs.get(leaseToken);
  }

  add(held: HeldJob<Data, Result>): void {
    this.#jobs.set(held.lease.leaseToken, held);
  }

  /** It is held no longer. */
  forget(held: HeldJob<Data, Result>): void {
    held.phase = 'over';
    this.#jobs.delete(held.lease.leaseToken);
  }

  all(): HeldJob<Data, Result>[] {
    return [...this.#jobs.values()];
  }

  inPhase(phase: HoldPhase): HeldJob<Data, Result>[] {
    const jobs: HeldJob<Data, Result>[] = [];
    for (const held of this.#jobs.values()) if (held.phase === phase) jobs.push(held);
    return jobs;
  }

  count(phase: HoldPhase): number {
    let count = 0;
    for (const held of this.#jobs.values()) if (held.phase === phase) count += 1;
    return count;
  }

  /** What a new stream is told to go on with: all but what nobody has begun. */
  leases(): pb.JobLease[] {
    return this.all()
      .filter(({ phase }) => phase !== 'buffered')
      .map(({ lease }) => lease);
  }

  /** What a heartbeat says is held. Those that it is the first to name remember it. */
  named(seq: number): pb.HeldJob[] {
    const named: pb.HeldJob[] = [];
    for (const held of this.#jobs.values()) {
      held.firstSeq ??= seq;
      named.push({ leaseToken: held.lease.leaseToken, running: held.phase !== 'buffered' });
    }
    return named;
  }
}
