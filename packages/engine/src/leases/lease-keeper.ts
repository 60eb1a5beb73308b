import type { RenewalOutcome } from '@echomq/core';
import { ChurnMap } from '@echomq/proto/churn-map';
import { logFailure } from '../dispatch/log-failure.js';
import type { QueueLane } from '../dispatch/queue-lane.js';
import type { Clock, EngineLogger, EngineObserver } from '../ports.js';
import { stillHeld } from './still-held.js';

/** A lease that the engine renews while its owner gives reason to. */
export interface KeptLease {
  readonly jobId: string;
  readonly token: string;
  /** Life of the lock, ms. */
  readonly lockMs: number;
  /** When the lock was set or last renewed, ms. */
  renewedAt: number;
  /** Its run has begun and the store does not know yet. */
  begun?: boolean;
  /** Its run: whether the end of that is on its way to the store. It is told of each renewal. */
  readonly run?: { readonly reporting: boolean; renewedAt?: number };
  readonly owner: LeaseOwner;
}

/** Whoever answers for a lease. */
export interface LeaseOwner {
  /** Whether there is evidence now that the job is being worked on. */
  vouches(token: string, now: number): boolean;
  /** It was renewed, and somebody asked to cancel its job. Told with each renewal. */
  cancelRequested(token: string): void;
  /** The lease is over. It is kept no longer. */
  lost(token: string, outcome: RenewalOutcome): void;
}

/** Leases of one extendLocks: about 1 ms of Redis. */
export const MAX_BATCH = 300;

/**
 * So long after it has begun the store is told of a run that had waited at its worker, ms. Most have ended by then: only
 * such workers hold jobs beyond their slots whose handlers are short, and an end tells it too.
 */
const BEGUN_MS = 5;

/** What a keeper works with. */
interface KeeperPorts {
  readonly clock: Clock;
  readonly logger: EngineLogger;
  readonly observer?: EngineObserver | undefined;
}

/** Renews the leases of all queues: one script per queue and tick, no timer of a job's own. */
export class LeaseKeeper {
  readonly #queues = new Map<QueueLane, QueueLeases>();

  constructor(private readonly ports: KeeperPorts) {}

  /** Keeps a lease from now on. */
  add(lane: QueueLane, lease: KeptLease): void {
    let leases = this.#queues.get(lane);
    if (!leases) {
      leases = new QueueLeases(lane, this.ports, () => this.#queues.delete(lane));
      this.#queues.set(lane, leases);
    }
    leases.add(lease);
  }

  /** Keeps it no longer, unless another owner has taken it over. */
  remove(lane: QueueLane, token: string, owner: LeaseOwner): void {
    this.#queues.get(lane)?.remove(token, owner);
  }

  /** Tells the store, with a renewal, that this run has begun, unless it ends at once; again until the store knows. */
  begun(lane: QueueLane, token: string): void {
    this.#queues.get(lane)?.begun(token);
  }

  /** When the lock of a kept lease runs out unless it is renewed, ms; 0 for one that is not kept. */
  validUntil(lane: QueueLane, token: string): number {
    return this.#queues.get(lane)?.validUntil(token) ?? 0;
  }

  /** Renews the leases of a job now, by what the keys of its queue begin with: something has happened to it. */
  look(base: string, jobId: string): void {
    for (const [{ queue }, leases] of this.#queues) {
      if (queue.keys.base === base) leases.look((lease) => lease.jobId === jobId);
    }
  }

  /** Renews all leases now: what happened to their jobs was missed. */
  lookAll(): void {
    for (const leases of this.#queues.values()) leases.look(() => true);
  }

  /** How many leases are kept. */
  get size(): number {
    return [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Renews nothing more. */
  close(): void {
    for (const leases of this.#queues.values()) leases.close();
    this.#queues.clear();
  }
}

/** The leases of one queue and the timer that they share. */
class QueueLeases {
  readonly #leases = new ChurnMap<string, KeptLease>();
  #tickMs = Number.POSITIVE_INFINITY;
  #timer: unknown;
  /** Those of which the store is to be told that they have begun. */
  #begun: KeptLease[] = [];
  #begunTimer: unknown;

  constructor(
    private readonly lane: QueueLane,
    private readonly ports: KeeperPorts,
    private readonly onEmpty: () => void,
  ) {}

  get size(): number {
    return this.#leases.size;
  }

  add(lease: KeptLease): void {
    this.#leases.set(lease.token, lease);
    if (lease.lockMs / 3 < this.#tickMs) {
      this.#tickMs = lease.lockMs / 3;
      this.#arm(this.#tickMs);
    }
  }

  remove(token: string, owner: LeaseOwner): void {
    if (this.#leases.get(token)?.owner === owner) this.#leases.delete(token);
  }

  validUntil(token: string): number {
    const lease = this.#leases.get(token);
    return lease ? lease.renewedAt + lease.lockMs : 0;
  }

  begun(token: string): void {
    const lease = this.#leases.get(token);
    if (!lease) return;
    lease.begun = true;
    this.#begun.push(lease);
    this.#begunTimer ??= this.ports.clock.setTimeout(() => {
      this.#begunTimer = undefined;
      const begun = this.#begun;
      this.#begun = [];
      this.#renewAll(begun.filter((lease) => this.#isUntold(lease)));
    }, BEGUN_MS);
  }

  /** Of one whose end is on its way nothing more need be told; should that be refused, the next tick tells it. */
  #isUntold(lease: KeptLease): boolean {
    return lease.begun === true && !lease.run?.reporting && this.#leases.get(lease.token) === lease;
  }

  look(which: (lease: KeptLease) => boolean): void {
    const now = this.ports.clock.now();
    const alive = (lease: KeptLease) =>
      now - lease.renewedAt < lease.lockMs && lease.owner.vouches(lease.token, now);
    this.#renewAll(this.#leases.values().filter((lease) => which(lease) && alive(lease)));
  }

  close(): void {
    this.ports.clock.clearTimeout(this.#timer);
    this.ports.clock.clearTimeout(this.#begunTimer);
    this.#leases.clear();
  }

  #arm(afterMs: number): void {
    this.ports.clock.clearTimeout(this.#timer);
    this.#timer = this.ports.clock.setTimeout(() => void this.#tick(), afterMs);
  }

  async #tick(): Promise<void> {
    if (this.#leases.size === 0) return this.onEmpty();
    // Armed first: an answer that is late does not delay the next tick.
    this.#arm(this.#tickMs);
    this.#renewAll(this.#due());
  }

  #renewAll(leases: readonly KeptLease[]): void {
    for (let at = 0; at < leases.length; at += MAX_BATCH) {
      void this.#renew(leases.slice(at, at + MAX_BATCH));
    }
  }

  #due(): KeptLease[] {
    const now = this.ports.clock.now();
    const due: KeptLease[] = [];
    let lost = 0;
    for (const lease of this.#leases.values()) {
      const age = now - lease.renewedAt;
      if (age >= lease.lockMs) {
        // Its lock ran out before anybody could renew it.
        lost++;
        this.#leases.delete(lease.token);
        lease.owner.lost(lease.token, 'LOCK_LOST');
      } else if (
        (lease.begun || age >= lease.lockMs / 6) &&
        lease.owner.vouches(lease.token, now)
      ) {
        due.push(lease);
      }
    }
    this.#note(0, lost);
    return due;
  }

  #note(renewed: number, lost: number): void {
    if (renewed + lost === 0) return;
    this.ports.observer?.locksRenewed(this.lane.queue.name, renewed, lost);
  }

  async #renew(leases: readonly KeptLease[]): Promise<void> {
    const sentAt = this.ports.clock.now();
    const renewals = leases.map(({ jobId, token, lockMs, begun, run }) => {
      if (run) run.renewedAt = sentAt;
      return { id: jobId, token, lockDuration: lockMs, ...(begun ? { begun } : {}) };
    });
    try {
      const outcomes = await this.lane.renew(renewals);
      let [renewed, lost] = [0, 0];
      leases.forEach((lease, index) => {
        const outcome = outcomes[index];
        if (stillHeld(outcome)) {
          renewed++;
          lease.renewedAt = sentAt;
          if (renewals[index]?.begun) lease.begun = false;
          if (outcome === 'CANCEL_REQUESTED') lease.owner.cancelRequested(lease.token);
        } else if (this.#leases.get(lease.token) === lease) {
          // One whose end was on its way is over by that, or the end's own answer tells.
          if (!lease.run?.reporting) lost++;
          this.#leases.delete(lease.token);
          lease.owner.lost(lease.token, outcome ?? 'LOCK_LOST');
        }
      });
      this.#note(renewed, lost);
    } catch (error) {
      const facts = { queue: this.lane.queue.name, leases: leases.length };
      logFailure(this.ports.logger, 'renewal.failed', error, facts);
      // Sooner than the next tick: the locks do not wait.
      if (this.#leases.size > 0) this.#arm(Math.min(this.#tickMs, 500));
    }
  }
}
