import { ChurnMap } from '@echomq/proto/churn-map';
import * as pb from '@echomq/proto/messages';

/** What is watched of a held job. */
export interface Leased {
  readonly lease: pb.JobLease;
  /** The first heartbeat that named it. */
  readonly firstSeq: number | undefined;
  /** Its handler runs: somebody is to be told when the lease is in doubt. */
  readonly runs: boolean;
  /** Until when, by `performance.now()`, the job surely is nobody else's. */
  safeUntil: number;
  /** Until when the lock of the delivery lives, once the server is known to have heard of it. */
  readonly lockUntil: number;
}

/** A heartbeat that is not answered. */
interface Sent<Held> {
  /** When it left, by `performance.now()`. */
  readonly at: number;
  /** What it names; absent: all that is held. */
  readonly only: readonly Held[] | undefined;
}

/**
 * Knows, without asking anybody, until when the lease of each held job surely lives, and calls out before one that runs
 * may be somebody else's. Only what the server has said counts, and it counts from the moment at which this side asked: a
 * server that cannot be heard, or answers late, extends nothing.
 */
export class LeaseWatch<Held extends Leased> {
  readonly #held: () => Iterable<Held>;
  readonly #onDoubt: (held: Held) => void;
  readonly #lockMs: () => number;
  readonly #sent = new ChurnMap<number, Sent<Held>>();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  /** The server names each renewed lock with its new life, which is better than what follows from the terms. */
  #explicit = false;

  /**
   * @param held the jobs in hand
   * @param onDoubt called once for each whose lease may be over
   * @param lockMs the life of a lock now
   */
  constructor(held: () => Iterable<Held>, onDoubt: (held: Held) => void, lockMs: () => number) {
    this.#held = held;
    this.#onDoubt = onDoubt;
    this.#lockMs = lockMs;
  }

  /** A heartbeat leaves now. @param only what it names, where that is not all that is held */
  sent(seq: number, only?: readonly Held[]): void {
    this.#sent.set(seq, { at: performance.now(), only });
  }

  /** The stream is gone: what was asked on it is not answered any more. */
  forgetSent(): void {
    this.#sent.clear();
  }

  /**
   * A heartbeat was answered.
   *
   * @param sureMs how long a lease surely lives after that, where the answer does not say it
   */
  answered({ seq, leases }: pb.WorkHeartbeatAck, sureMs: number): void {
    const sent = this.#sent.get(seq);
    for (const earlier of this.#sent.keys()) if (earlier <= seq) this.#sent.delete(earlier);
    if (sent === undefined) return;
    const askedAt = sent.at;
    const renewed = new Map<string, number>();
    for (const { leaseToken, lockTtl } of leases) {
      const ttlMs = pb.durationToMs(lockTtl) ?? 0;
      if (ttlMs > 0) renewed.set(leaseToken, ttlMs);
    }
    this.#explicit ||= renewed.size > 0;
    for (const held of sent.only ?? this.#held()) {
      const named = held.firstSeq !== undefined && held.firstSeq <= seq;
      const ttlMs = renewed.get(held.lease.leaseToken);
      if (named) this.extend(held, held.lockUntil);
      if (ttlMs !== undefined) this.extend(held, askedAt + ttlMs);
      else if (named && !this.#explicit) this.extend(held, askedAt + sureMs);
    }
  }

  /** A lease surely lives until then. */
  extend(held: Held, until: number): void {
    held.safeUntil = Math.max(held.safeUntil, until);
  }

  /** Sets the timer to the first lease that runs out. To be called when handlers begin, with their jobs. */
  arm(begun?: readonly Held[]): void {
    let first = Number.POSITIVE_INFINITY;
    // While it is set, it is so for all that ran before.
    for (const held of (this.#timer && begun) ?? this.#held()) {
      if (held.runs) first = Math.min(first, this.#doubtAt(held));
    }
    // A timer that comes too early looks and sets itself again.
    if (first === Number.POSITIVE_INFINITY || (this.#timer && this.#dueAt <= first)) return;
    clearTimeout(this.#timer);
    this.#dueAt = first;
    this.#timer = setTimeout(
      // Answers that came while this process was busy are read before the verdict.
      () => setImmediate(() => this.#look()),
      Math.max(1, first - performance.now()),
    );
  }

  /** Ends the timer. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    const now = performance.now();
    for (const held of [...this.#held()]) {
      if (held.runs && this.#doubtAt(held) <= now) this.#onDoubt(held);
    }
    this.arm();
  }

  /** A little early: a handler needs a moment to stop. */
  #doubtAt({ safeUntil }: Held): number {
    return safeUntil - Math.min(1_000, this.#lockMs() / 20);
  }
}
