import type * as pb from '@echomq/proto/messages';
import { type EchoMQError, errorOf } from '../errors.js';
import type { Transport, WorkStream } from '../transport/transport.js';
import { ReportGathering } from './report-gathering.js';

/** What one stream tells its owner. */
export interface OpenStreamEvents {
  /** The server has answered. Returns after how many ms of silence the stream counts as dead. */
  onOpened(opened: pb.WorkOpened): number;
  onMessage(message: pb.WorkResponse): void;
  /** It has ended, or never came about. Once, last; not after {@link OpenStream.cancel}. Absent: in good order. */
  onEnd(error: EchoMQError | undefined): void;
}

/** The server's first word must come within so many ms. */
const OPEN_TIMEOUT_MS = 10_000;

/**
 * One Work stream from its opening to its end, watched: a stream that is silent for too long ends as one that broke
 * does.
 */
export class OpenStream {
  readonly #events: OpenStreamEvents;
  #stream: WorkStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = performance.now();
  #silenceMs = OPEN_TIMEOUT_MS;
  #ended = false;
  readonly #waiting = new Set<() => void>();
  readonly #reports = new ReportGathering((message) => this.#stream?.send({ message }));
  /** When the server answered, by `performance.now()`. */
  openedAt: number | undefined;

  constructor(
    transport: Transport,
    open: () => pb.WorkOpen,
    options: { readonly fresh: boolean; readonly events: OpenStreamEvents },
  ) {
    this.#events = options.events;
    const events = {
      onMessage: (message: pb.WorkResponse) => this.#hear(message),
      onEnd: (error: EchoMQError | undefined) => this.#end(error),
    };
    transport.work(events, { fresh: options.fresh }).then(
      (stream) => {
        if (this.#ended) return stream.cancel();
        this.#stream = stream;
        stream.send({ message: { $case: 'open', value: open() } });
      },
      (error: EchoMQError) => this.#end(error),
    );
    this.#watch();
  }

  /** Sends a report before this turn is over; lost if the stream has just ended. */
  report(report: pb.WorkReport): void {
    this.#reports.push(report);
  }

  /** Sends a heartbeat, after all reports and in one message with them if it can be; lost if the stream has just ended. */
  beat(heartbeat: pb.WorkHeartbeat): void {
    this.#reports.beat(heartbeat);
  }

  /** Sends a message, after all reports; lost if the stream has just ended. False: hold on, see {@link writable}. */
  send(message: pb.WorkRequest['message']): boolean {
    this.#reports.flush();
    return this.#stream?.send({ message }) ?? false;
  }

  /** Resolves once the stream takes messages without piling them up, and when it ends. */
  writable(): Promise<void> {
    if (this.#ended || this.#stream === undefined || this.#stream.writable)
      return Promise.resolve();
    const stream = this.#stream;
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      stream.whenWritable(() => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  /** Closes this side; the end comes as `onEnd`. */
  end(): void {
    this.#reports.flush();
    this.#stream?.end();
  }

  /** Breaks the stream; no more callbacks. */
  cancel(): void {
    this.#close();
    this.#stream?.cancel();
  }

  #hear(message: pb.WorkResponse): void {
    if (this.#ended) return;
    this.#heardAt = performance.now();
    if (message.message?.$case !== 'opened') {
      this.#events.onMessage(message);
      return;
    }
    this.openedAt = this.#heardAt;
    const { serverInfo } = message.message.value;
    this.#reports.together = serverInfo?.capabilities.reportBatches ?? false;
    this.#reports.turns = serverInfo?.capabilities.turnBatches ?? false;
    this.#silenceMs = this.#events.onOpened(message.message.value);
    clearTimeout(this.#timer);
    if (!this.#ended) this.#watch();
  }

  /** One timer that looks when it is due whether anything came, instead of one that each message resets. */
  #watch(): void {
    const leftMs = this.#heardAt + this.#silenceMs - performance.now();
    this.#timer = setTimeout(
      () => {
        // Messages that came while this process was busy are read before the verdict.
        setImmediate(() => {
          if (this.#ended) return;
          if (performance.now() - this.#heardAt < this.#silenceMs) return this.#watch();
          const silenceMs = this.#silenceMs;
          this.#stream?.cancel();
          this.#end(silent(silenceMs));
        });
      },
      Math.max(1, leftMs),
    );
  }

  #end(error: EchoMQError | undefined): void {
    if (this.#ended) return;
    this.#close();
    this.#events.onEnd(error);
  }

  #close(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

function silent(ms: number): EchoMQError {
  return errorOf(`the stream was silent for ${Math.round(ms)} ms`, {
    code: 'UNAVAILABLE',
    reason: '',
    retryable: true,
  });
}
