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
  readonly #id: string;
  readonly #digest: string;
  readonly #ttl: number;

  constructor(request: RepeatableRequest, principal: string) {
    const { rpc, requestId, worker, body, lockMs } = request;
    const session = worker?.sessionId ? [worker.workerId, worker.sessionId] : [];
    this.#id = digest(JSON.stringify([principal, ...session, rpc, requestId]));
    this.#digest = digest(body());
    this.#ttl = receiptTtl(lockMs);
  }

  /** The receipt of a part of the request, by its place in it. */
  of({ keys }: NamedQueue, place = 0): Receipt {
    return this.#field(keys.requestReceipts(this.#id), String(place));
  }

  /** The receipt of the jobs that the request takes. */
  ofFetch({ keys }: NamedQueue): Omit<FetchReceipt, 'call' | 'index'> {
    return this.#field(keys.requestReceipts(this.#id), 'fetch');
  }

  #field(key: string, field: string) {
    return { key, field, digest: this.#digest, ttl: this.#ttl, whole: true };
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
