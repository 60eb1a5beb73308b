import type { EchoMQError, ReplayGuard } from '@echomq/core';
import type {
  DeliveredJob,
  WorkLogs,
  WorkProgress,
  WorkReport,
  WorkReportAck,
  WorkResponse,
} from '@echomq/proto/messages';

/** A job in the hands of a worker. */
export interface Holding {
  /** The queue's name as the worker gave it. */
  readonly queue: string;
  /** The same queue by its keys: one name for `orders` and `{orders}` in a cluster. */
  readonly queueKey: string;
  readonly jobId: string;
  readonly token: string;
  readonly bytes: number;
  /** Life of its lock, ms. */
  readonly lockMs: number;
  /** It came with the answer to a report, which may be asked for again: see `Delivery`. */
  readonly guard?: ReplayGuard | undefined;
  /** Log lines that the job's options keep; absent: all, or not known. */
  readonly keepLogs?: number | undefined;
  /** When it was delivered or adopted, ms. */
  readonly deliveredAt: number;
  /** When it was asked for, ms: its lock is not older. Absent for one that was adopted. */
  readonly takenAt?: number;
  /** When its run began, by the store's clock. Absent for one that was adopted. */
  readonly unbegunRun?: string;
  /** When a renewal of its lock was last sent from here, ms. */
  renewedAt?: number;
  /** A heartbeat or a report has named it. */
  accepted: boolean;
  /** Its handler has begun, as far as the worker said. */
  running: boolean;
  /** The number of the last whole set with which, or after which, a heartbeat has named it. */
  namedIn?: number;
  /** It was taken beyond what the worker runs at once: the store is to be told when it begins. */
  readonly buffered?: boolean | undefined;
  /** When the worker said that its handler has begun, ms. */
  begunAt?: number;
  /** The worker was asked to give it back. */
  recalled?: boolean;
  /** A report on it is being applied. */
  reporting: boolean;
  /** When that began, ms. */
  reportedAt?: number;
  /** Reports that wait for that one. */
  readonly waiting: WorkReport[];
  /** The last report on it was refused, and not for now only. */
  refused?: boolean;
  /** The worker was told that it is renewed no longer. */
  outlived: boolean;
  /** The worker was told that somebody asked to cancel the job. */
  cancelled?: boolean;
}

/** What a session asks of whoever runs it. */
export type SessionEffect =
  | { readonly kind: 'send'; readonly message: NonNullable<WorkResponse['message']> }
  /** The stream is over: the next one of its session gives this answer. */
  | { readonly kind: 'answered'; readonly ack: WorkReportAck }
  /** Deliver this job with what else leaves in this turn. */
  | { readonly kind: 'deliver'; readonly job: DeliveredJob; readonly bytes: number }
  /** Apply a report; `refill`: fetch the next job in the same step; `buffered`: that one waits for a slot. */
  | {
      readonly kind: 'apply';
      readonly report: WorkReport;
      readonly holding: Holding;
      readonly refill: boolean;
      readonly buffered: boolean;
    }
  | { readonly kind: 'progress'; readonly message: WorkProgress }
  | { readonly kind: 'logs'; readonly message: WorkLogs; readonly keepLogs?: number }
  /** Renew the lease from now on. */
  | { readonly kind: 'keep'; readonly holding: Holding }
  /** Tell the store that the worker has begun these, which it had not when it got them. */
  | { readonly kind: 'begun'; readonly holdings: readonly Holding[] }
  /** Renew it no longer. */
  | { readonly kind: 'drop'; readonly holding: Holding }
  /** Give these jobs back to the front, the first of them first. */
  | { readonly kind: 'release'; readonly holdings: readonly Holding[] }
  /** Slots may be free: of this queue, or of any. */
  | { readonly kind: 'demand'; readonly queueKey?: string }
  /** End the stream, in good order or with an error. */
  | { readonly kind: 'end'; readonly error?: EchoMQError };

/** What is left to do of it when the stream is over: nobody is there to be told, but on the next one. */
export function afterTheEnd(effect: SessionEffect): SessionEffect[] {
  if (effect.kind === 'drop' || effect.kind === 'apply') return [effect];
  if (effect.kind !== 'send' || effect.message.$case !== 'reportAck') return [];
  return [{ kind: 'answered', ack: effect.message.value }];
}

/** Whether the effect comes after a job that its report has brought: that one takes the freed slot. */
export function isLast({ kind }: SessionEffect): boolean {
  return kind === 'demand' || kind === 'end';
}
