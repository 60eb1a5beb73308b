import type { WorkerInfo } from '@echomq/proto/messages';
import { boundedText } from './text.js';

/** Bytes of each of the texts by which a worker is known. */
const MAX_BYTES = 512;

/**
 * Checks what a worker calls itself: the ids are kept for as long as its session, and its name with each job that it
 * takes. What is only listed (host, SDK, labels) is cut to size instead, where it is stored.
 *
 * @throws InvalidRequest for a text of more than 512 bytes, or with lone surrogates.
 */
export function checkWorkerTexts(worker: WorkerInfo | undefined, field = 'worker'): void {
  if (!worker) return;
  boundedText(worker.workerId, `${field}.worker_id`, { max: MAX_BYTES });
  boundedText(worker.sessionId, `${field}.session_id`, { max: MAX_BYTES });
  boundedText(worker.name, `${field}.name`, { max: MAX_BYTES });
}
