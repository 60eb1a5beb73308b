import { sessionDigest } from '../../receipts/session-receipts.js';
import type { CallContext } from '../../service.js';
import type { CallNote } from '../../workers/callers.js';
import type { WorkerDeps } from './worker-deps.js';

/** What a call without a stream tells of its worker, in one queue. */
export interface CallerNote extends Omit<CallNote, 'worker' | 'lagMs'> {
  readonly worker: CallNote['worker'] | undefined;
}

/**
 * Has a worker listed that says who it is and has no stream: with its calls, and while they wait.
 *
 * @returns what to call at the call's end.
 */
export function noteCaller(
  { workers }: Pick<WorkerDeps, 'workers'>,
  { principal = '' }: Pick<CallContext, 'principal'>,
  { worker, ...note }: CallerNote,
): () => void {
  const digest = sessionDigest(worker, principal);
  if (!worker || digest === undefined) return () => undefined;
  return workers.noteCall(digest, { ...note, worker });
}
