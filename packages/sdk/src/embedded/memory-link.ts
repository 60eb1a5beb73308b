import type { WorkLink } from '@echomq/engine';
import type * as pb from '@echomq/proto/messages';
import { type EchoMQError, errorOf } from '../errors.js';
import type { WorkStream, WorkStreamEvents } from '../transport/transport.js';
import { Pipe } from './pipe.js';

/** Messages that may wait for their reader before the sender is told to hold on. */
const FULL_AT = 64;

/** A Work stream inside one process: both its ends. */
export interface MemoryLink {
  readonly worker: WorkStream;
  readonly server: WorkLink;
  /** Aborts when the worker has broken the stream. */
  readonly broken: AbortSignal;
  /** The server's side has ended, with that error or in good order. What it sent before still arrives. */
  ended(error?: EchoMQError): void;
  /** Breaks the stream for both sides. */
  breakOff(error: EchoMQError): void;
}

/**
 * Makes one.
 *
 * @param events the worker's
 * @param pass what each message goes through on its way
 */
export function memoryLink(events: WorkStreamEvents, pass: <T>(message: T) => T): MemoryLink {
  const broken = new AbortController();
  const toServer = flowing<pb.WorkRequest>();
  const toWorker = flowing<pb.WorkResponse>();
  let halfClosed = false;
  let cancelled = false;
  let end: EchoMQError | undefined = brokenOff();
  const deliver = async () => {
    for await (const message of toWorker.pipe) events.onMessage(message);
    if (!cancelled) events.onEnd(end);
  };
  void deliver();
  return {
    worker: {
      send(message) {
        if (halfClosed || broken.signal.aborted) return false;
        toServer.pipe.push(pass(message));
        return toServer.writable();
      },
      get writable() {
        return !broken.signal.aborted && toServer.writable();
      },
      whenWritable(listener) {
        if (toServer.writable()) queueMicrotask(listener);
        else {
          const stop = toServer.onWritable(() => {
            stop();
            listener();
          });
        }
      },
      end() {
        halfClosed = true;
        toServer.pipe.close();
      },
      cancel() {
        cancelled = true;
        toWorker.pipe.discard();
        broken.abort();
        toServer.pipe.close();
      },
    },
    server: {
      near: true,
      requests: toServer.pipe,
      send(message) {
        toWorker.pipe.push(pass(message));
        return toWorker.writable();
      },
      get writable() {
        return !broken.signal.aborted && toWorker.writable();
      },
      onWritable: toWorker.onWritable,
    },
    broken: broken.signal,
    ended(error) {
      if (broken.signal.aborted) return;
      end = error ?? (halfClosed ? undefined : brokenOff());
      toWorker.pipe.close();
      toServer.pipe.discard();
    },
    breakOff(error) {
      end = error;
      broken.abort();
      toWorker.pipe.close();
      toServer.pipe.discard();
    },
  };
}

/** A pipe that says when it is no longer full. */
function flowing<T>() {
  const listeners = new Set<() => void>();
  const pipe = new Pipe<T>(() => {
    // The item that was just taken had made it full.
    if (pipe.length === FULL_AT - 1) for (const listener of [...listeners]) listener();
  });
  return {
    pipe,
    writable: () => pipe.length < FULL_AT,
    onWritable(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function brokenOff(): EchoMQError {
  return errorOf('the engine ended the stream', {
    code: 'UNAVAILABLE',
    reason: '',
    retryable: true,
  });
}
