import {
  status as codes,
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import { reasonOf } from '../status-codes.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';

/** A call that has begun. */
export interface BegunCall {
  /** `/echomq.v1.ProducerService/AddJob`. */
  readonly path: string;
  readonly streams: boolean;
  readonly metadata: Metadata;
  readonly requestId: string;
}

/** How it ended. */
export interface EndedCall {
  readonly code: codes;
  readonly ms: number;
  /** The reason of an error of ours. */
  readonly reason?: string | undefined;
}

/** Hears of every call to a service of ours: once when it begins, and once through what it returns when it ends. */
export type CallWatcher = (call: BegunCall) => ((end: EndedCall) => void) | undefined;

/**
 * Stands before all else: gives every call its id, which goes back to the caller, and tells the watchers. Calls of health
 * and reflection have ids too, and nobody hears of them: probes would drown the rest.
 */
export function watchCalls(watchers: readonly CallWatcher[]): ServerInterceptor {
  return ({ path, requestStream, responseStream }, call) => {
    let requestId = '';
    let headersSent = false;
    let ended: ((code: codes, metadata: Metadata | null | undefined) => void) | undefined;
    const begin = (metadata: Metadata) => {
      requestId = requestIdOf(metadata);
      if (path.startsWith('/grpc.')) return;
      const streams = requestStream || responseStream;
      const begun = performance.now();
      const ends = watchers.map((watcher) => watcher({ path, streams, metadata, requestId }));
      ended = (code, trailers) => {
        ended = undefined;
        const reason = trailers ? reasonOf(trailers) : undefined;
        const end = { code, ms: performance.now() - begun, reason };
        for (const tell of ends) tell?.(end);
      };
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            begin(metadata);
            pass(metadata);
          },
          // Also after an answer, which has been told by then; the deadline ends a call past all interceptors.
          onCancel: () => {
            const late = Number(call.getDeadline()) <= Date.now();
            ended?.(late ? codes.DEADLINE_EXCEEDED : codes.CANCELLED, undefined);
          },
        }),
      sendMetadata: (metadata, next) => {
        headersSent = true;
        metadata.set(REQUEST_ID, requestId);
        next(metadata);
      },
      sendStatus: (status, next) => {
        ended?.(status.code ?? codes.UNKNOWN, status.metadata);
        if (headersSent) return next(status);
        const metadata = status.metadata ?? new Metadata();
        metadata.set(REQUEST_ID, requestId);
        next({ ...status, metadata });
      },
    });
  };
}
