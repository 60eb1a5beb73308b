import { type FetchReceipt, InvalidRequest, type Receipt } from '@echomq/core';
import type { WorkerInfo } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';
import type { CallContext } from '../service.js';
import { boundedText } from '../validation/text.js';
import { digest } from './digest.js';

/** Receipts stay so long after their last write, ms, or for twice the lock if that is longer. */
const MIN_TTL_MS = 120_000;
const MAX_CHARACTERS = 64;

/** How long receipts stay where locks live so long, ms. */
export function receiptTtl(lockMs = 0): number {
  return Math.max(MIN_TTL_MS, 2 * lockMs);
}

/** A request that can come again. */
export interface RepeatableRequest {
  readonly rpc: string;
  readonly requestId: string;
  readonly worker?: WorkerInfo | undefined;
  /** Its body, see `bodyOf`; asked for only if the request has an id. */
  readonly body: () => Uint8Array;
  /** Life of the locks that it takes, ms, if it takes some. */
  readonly lockMs?: number;
}

/** The receipts of one request, in whichever queues it touches. */
export class RequestReceipts {
  readonly #request: readonly string[];
  readonly #body: { readonly digest: string; readonly ttl: number };

  constructor(request: RepeatableRequest, principal: string) {
    const { rpc, requestId, worker, body, lockMs } = request;
    const session = worker?.sessionId ? [worker.workerId, worker.sessionId] : [];
    this.#request = [principal, ...session, rpc, requestId];
    this.#body = { digest: digest(body()), ttl: receiptTtl(lockMs) };
  }

  /** The receipt of a request that is carried out as one. */
  of(queue: NamedQueue): Receipt {
    return { key: this.#key(queue), ...this.#body };
  }

  /** The receipt of a part of the request, by its place in it. */
  ofPart(queue: NamedQueue, place: number): Receipt {
    return { key: this.#key(queue), field: String(place), whole: true, ...this.#body };
  }

  /** The receipt of the jobs that the request takes. */
  ofFetch(queue: NamedQueue): Omit<FetchReceipt, 'call' | 'index'> {
    return { key: this.#key(queue, 'fetch'), field: 'fetch', ...this.#body };
  }

  #key({ keys }: NamedQueue, ...kind: string[]): string {
    return keys.requestReceipts(digest(JSON.stringify([...this.#request, ...kind])));
  }
}

/**
 * The receipts of a request, or `undefined` for one without an id, which leaves none.
 *
 * @throws InvalidRequest for an id of more than 64 characters.
 */
export function receiptsOf(
  request: RepeatableRequest,
  { principal = '' }: Pick<CallContext, 'principal'>,
): RequestReceipts | undefined {
  const { requestId } = request;
  if (requestId === '') return undefined;
  boundedText(requestId, 'request_id', { max: 4 * MAX_CHARACTERS });
  if ([...requestId].length > MAX_CHARACTERS) {
    throw new InvalidRequest('request_id', `must have at most ${MAX_CHARACTERS} characters`);
  }
  return new RequestReceipts(request, principal);
}
