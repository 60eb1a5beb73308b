import type * as pb from '@echomq/proto/messages';
import type { OpenStream } from './open-stream.js';

/** What heartbeats are made of. */
export interface HeartbeatHost {
  live(): OpenStream | undefined;
  /** What is held, for the heartbeat of that number. */
  holdings(seq: number): pb.HeldJob[];
  ackedThrough(): number;
  load(): pb.WorkerLoad;
  /** A heartbeat leaves. */
  onSent(seq: number): void;
}

/** Says that the worker lives and what it holds: regularly, and before each handler begins. */
export class Heartbeat {
  readonly #host: HeartbeatHost;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: HeartbeatHost) {
    this.#host = host;
  }

  /** A stream is up: one heartbeat now, then one per interval. */
  start(intervalMs: number): void {
    this.beat();
    this.#timer = setInterval(() => this.beat(), intervalMs);
  }

  /** The stream is gone. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** One heartbeat, now. Nothing without a stream. */
  beat(): void {
    const live = this.#host.live();
    if (live === undefined) return;
    this.#seq += 1;
    const value: pb.WorkHeartbeat = {
      seq: this.#seq,
      holdings: { $case: 'held', value: { jobs: this.#host.holdings(this.#seq) } },
      ackedThrough: this.#host.ackedThrough(),
      load: this.#host.load(),
    };
    this.#host.onSent(this.#seq);
    live.send({ $case: 'heartbeat', value });
  }
}
