import type * as pb from '@echomq/proto/messages';
import type { OpenStream } from './open-stream.js';

/** What heartbeats are made of. */
export interface HeartbeatHost<Held> {
  live(): OpenStream | undefined;
  /** All that is held, or only that, for the heartbeat of that number. */
  holdings(seq: number, only?: readonly Held[]): pb.HeldJob[];
  ackedThrough(): number;
  load(): pb.WorkerLoad;
  /** A heartbeat leaves. @param only what it names, where that is not all */
  onSent(seq: number, only?: readonly Held[]): void;
}

/** Says that the worker lives and what it holds: regularly, and before each handler begins. */
export class Heartbeat<Held> {
  readonly #host: HeartbeatHost<Held>;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: HeartbeatHost<Held>) {
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

  /** One heartbeat, now. Nothing without a stream. @param only what it is to name; absent: all that is held */
  beat(only?: readonly Held[]): void {
    const live = this.#host.live();
    if (live === undefined) return;
    this.#seq += 1;
    const named = { jobs: this.#host.holdings(this.#seq, only) };
    const value: pb.WorkHeartbeat = {
      seq: this.#seq,
      holdings: { $case: only === undefined ? 'held' : 'more', value: named },
      ackedThrough: this.#host.ackedThrough(),
      load: this.#host.load(),
    };
    this.#host.onSent(this.#seq, only);
    live.beat(value);
  }
}
