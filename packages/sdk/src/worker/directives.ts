import * as pb from '@echomq/proto/messages';
import type { OpenStream } from './open-stream.js';

/** What directives ask of the session. */
export interface DirectiveEvents {
  live(): OpenStream | undefined;
  /** Move to another connection and keep what is held. */
  onMove(): void;
  /** {@link Directives.quiet} or {@link Directives.drains} has changed. */
  onChange(): void;
}

/** The server's wishes to this worker; each holds for the stream on which it came. */
export class Directives {
  readonly #events: DirectiveEvents;
  #timer: NodeJS.Timeout | undefined;
  #quiet = false;
  #drains = false;

  constructor(events: DirectiveEvents) {
    this.#events = events;
  }

  /** No more jobs for now. */
  get quiet(): boolean {
    return this.#quiet;
  }

  /** The stream is to be left once nothing is held. */
  get drains(): boolean {
    return this.#drains;
  }

  /** The server has said something. */
  take({ action, after }: pb.WorkerDirective): void {
    const stream = this.#events.live();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        // A wish of a stream that is gone is met.
        if (this.#events.live() === stream) this.#carryOut(action);
      },
      Math.max(0, pb.durationToMs(after) ?? 0),
    );
  }

  /** Another stream is live, or none. */
  streamChanged(): void {
    clearTimeout(this.#timer);
    this.#quiet = false;
    this.#drains = false;
  }

  /** Ends the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #carryOut(action: pb.WorkerDirectiveAction): void {
    // Both ask to be elsewhere; the stream that is left serves what is held until another has taken it over.
    const leaves =
      action === pb.WorkerDirectiveAction.DRAIN || action === pb.WorkerDirectiveAction.RECONNECT;
    this.#quiet = leaves || action === pb.WorkerDirectiveAction.QUIET;
    this.#drains = leaves;
    if (leaves) this.#events.onMove();
    this.#events.onChange();
  }
}
