import type * as pb from '@echomq/proto/messages';
import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { type EchoMQError, errorOf } from '../errors.js';
import { errorFromCall } from './grpc-calls.js';
import type { WorkStream, WorkStreamEvents } from './transport.js';

type WorkCall = ClientDuplexStream<pb.WorkRequest, pb.WorkResponse>;

/** The worker's end of a Work stream over gRPC. */
export class GrpcWorkStream implements WorkStream {
  readonly #call: WorkCall;
  readonly #events: WorkStreamEvents;
  readonly #ended: () => void;
  #done = false;
  #halfClosed = false;

  /** @param ended called once, when the call no longer uses its channel */
  constructor(call: WorkCall, events: WorkStreamEvents, target: string, ended: () => void) {
    this.#call = call;
    this.#events = events;
    this.#ended = ended;
    let error: EchoMQError | undefined;
    call.on('data', (message: pb.WorkResponse) => {
      if (!this.#done) events.onMessage(message);
    });
    call.on('error', (failure: ServiceError) => {
      error = errorFromCall(failure, target);
      // An error of the stream itself brings no status.
      setImmediate(() => this.#finish(error));
    });
    // What came before the status may still be on its way to 'data'.
    call.on('status', () => setImmediate(() => this.#finish(error ?? this.#endOf())));
  }

  send(message: pb.WorkRequest): boolean {
    if (this.#done || this.#halfClosed) return false;
    return this.#call.write(message);
  }

  get writable(): boolean {
    return !this.#done && !this.#call.writableNeedDrain;
  }

  whenWritable(listener: () => void): void {
    if (this.writable) queueMicrotask(listener);
    else this.#call.once('drain', listener);
  }

  end(): void {
    if (this.#done || this.#halfClosed) return;
    this.#halfClosed = true;
    this.#call.end();
  }

  cancel(): void {
    if (this.#done) return;
    this.#done = true;
    this.#call.cancel();
    this.#ended();
  }

  /** OK is a clean end only of a stream that this side had closed. */
  #endOf(): EchoMQError | undefined {
    if (this.#halfClosed) return undefined;
    return errorOf('the gateway ended the stream', {
      code: 'UNAVAILABLE',
      reason: '',
      retryable: true,
    });
  }

  #finish(error: EchoMQError | undefined): void {
    if (this.#done) return;
    this.#done = true;
    this.#ended();
    this.#events.onEnd(error);
  }
}
