import { InvalidRequest } from '@echomq/core';
import type { Fault, InspectQueueRequest } from '@echomq/proto/messages';
import { inspectPart, type Position } from '../../inspection/inspect-part.js';
import { lookAgain } from '../../inspection/look-again.js';
import { storeTime } from '../../scheduling/next-run.js';
import type { QueueApi } from '../../service.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { readMethod } from '../unary-method.js';
import { checkFaults } from './checked-faults.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** After so long a part is answered, ms, though there is more to look at. */
const PART_MS = 250;
/** Faults after which a part is answered. */
const MOST_FAULTS = 500;

/** QueueService.InspectQueue. */
export function inspectQueue(deps: QueueDeps): QueueApi['inspectQueue'] {
  return readMethod(deps, async (request, { signal }) => {
    const list = [deps.names.resolve(request.queue).keys.base, 'inspect'];
    const start = startOf(request, list);
    checkFaults(request.again, 'again');
    const queue = await knownQueue(deps, request.queue);
    const inspected = { store: deps.store, queue, seenAt: await storeTime(deps.store) };
    const faults: Fault[] = [];
    if (request.again.length > 0) {
      for (const one of request.again) {
        if (signal.aborted) break;
        const still = await lookAgain(inspected, one);
        if (still) faults.push(still);
      }
      return { faults, nextPageToken: '', lookedAt: request.again.length };
    }
    const until = deps.clock.now() + PART_MS;
    const enough = (more = 0) =>
      signal.aborted || faults.length + more >= MOST_FAULTS || deps.clock.now() >= until;
    let lookedAt = 0;
    let next: Position | undefined = start;
    do {
      const part: Awaited<ReturnType<typeof inspectPart>> = await inspectPart(
        inspected,
        next,
        enough,
      );
      faults.push(...part.faults);
      lookedAt += part.looked;
      next = part.next;
    } while (next && !enough());
    return { faults, nextPageToken: next ? pageToken(list, next) : '', lookedAt };
  });
}

function startOf({ pageToken: token, again }: InspectQueueRequest, list: string[]): Position {
  if (token !== '' && again.length > 0) {
    throw new InvalidRequest('again', 'not together with `page_token`');
  }
  const [phase = 0, ...at] = pagePosition(token, list) ?? [];
  if (typeof phase === 'number') return [phase, ...at];
  throw new InvalidRequest('page_token', 'is no token of this list');
}
