import type { Returned } from '../dispatch/give-back.js';
import type { QueueDispatch } from '../dispatch/queue-dispatch.js';
import type { LeaseOwner } from '../leases/lease-keeper.js';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import type { Holding } from './effects.js';
import type { Subscriber } from './subscriber.js';

/** The leases of a stream, on their way to the lease keeper and back to their queues. */
export class StreamLeases {
  constructor(
    private readonly owner: LeaseOwner,
    private readonly subscribers: ReadonlyMap<string, Subscriber>,
    private readonly deps: Pick<WorkerDeps, 'clock' | 'dispatcher' | 'keeper' | 'names'>,
  ) {}

  /** Renews a lease from now on. */
  keep(holding: Holding): void {
    const { jobId, token, lockMs } = holding;
    const renewedAt = holding.takenAt ?? this.deps.clock.now();
    const lease = { jobId, token, lockMs, renewedAt, run: holding, owner: this.owner };
    this.deps.keeper.add(this.dispatchOf(holding).lane, lease);
  }

  /** The worker has begun one, which it had not when it got it. */
  begun(holding: Holding): void {
    this.deps.keeper.begun(this.dispatchOf(holding).lane, holding.token);
  }

  /** Renews it no longer. */
  drop(holding: Holding): void {
    this.deps.keeper.remove(this.dispatchOf(holding).lane, holding.token, this.owner);
  }

  /** Gives jobs back to the front. */
  release(holdings: readonly Holding[]): void {
    const queues = new Map<QueueDispatch, Returned[]>();
    for (const holding of holdings) {
      const dispatch = this.dispatchOf(holding);
      queues.set(dispatch, [...(queues.get(dispatch) ?? []), returned(holding)]);
    }
    for (const [dispatch, released] of queues) void dispatch.putBack(released);
  }

  /** The dispatch of a job's queue, also of one that the stream does not subscribe to. */
  dispatchOf({ queueKey, queue }: Holding): QueueDispatch {
    const subscribed = this.subscribers.get(queueKey)?.dispatch;
    return subscribed ?? this.deps.dispatcher.of(this.deps.names.resolve(queue));
  }
}

/** What nobody has accepted was not begun, so it goes back also after its lock has lapsed. */
function returned(holding: Holding): Returned {
  const { jobId, token, lockMs, guard, accepted, unbegunRun } = holding;
  const returned = { jobId, token, lockMs, ...(guard === undefined ? {} : { guard }) };
  if (accepted || unbegunRun === undefined) return returned;
  // Its lock was renewed with an answer that was given again: who else has renewed it cannot be told.
  if ((guard?.replays ?? 0) > 0) return { ...returned, unbegunRun };
  return { ...returned, unbegunRun, lapsesAt: Number(unbegunRun) + lockMs + renewedFor(holding) };
}

/** By how much its lock may last longer through a renewal from here, ms: the store has carried that out somewhat later. */
function renewedFor({ renewedAt, takenAt = renewedAt, lockMs }: Holding): number {
  return renewedAt === undefined || takenAt === undefined ? 0 : renewedAt - takenAt + lockMs / 6;
}
