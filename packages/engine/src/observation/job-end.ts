import { Disposition } from '@echomq/proto/messages';
import type { EngineObserver, JobEnd } from '../ports.js';

const ENDS: Readonly<Partial<Record<Disposition, JobEnd>>> = {
  [Disposition.COMPLETED]: 'completed',
  [Disposition.FAILED]: 'failed',
  [Disposition.RETRY_SCHEDULED]: 'retried',
  [Disposition.RETRY_QUEUED]: 'retried',
  [Disposition.DELAYED]: 'delayed',
  [Disposition.RELEASED]: 'released',
  [Disposition.WAITING_CHILDREN]: 'parked',
};

/** Tells whoever counts how a hold ended. */
export function noteEnd(
  observer: EngineObserver,
  hold: { readonly queue: string; readonly token: string },
  result: { readonly disposition: Disposition; readonly replayed: boolean },
): void {
  const end = ENDS[result.disposition];
  if (end) observer.jobEnded(hold.queue, hold.token, end, result.replayed);
}
