import type { CallContext } from '@echomq/engine';
import type { Metadata } from '@grpc/grpc-js';
import type { Principal } from '../access/principal.js';
import { maskOf } from '../access/rights.js';
import { credentialOf } from './guard.js';

/** What the context needs of a call of any kind. */
export interface AnyCall {
  readonly metadata: Metadata;
  getDeadline(): Date | number;
  on(event: 'cancelled', listener: () => void): unknown;
}

const READ = maskOf(['read']);

/**
 * What the engine learns of a call. grpc-js emits `cancelled` when the caller goes away, when the deadline passes, and
 * once more after the answer has been sent; the signal ignores that last one through {@link settle}.
 */
export class GrpcCallContext implements CallContext {
  readonly deadline?: number;
  readonly #principal: Principal;
  /** What is to be done once the call is over. */
  #ends: (() => void)[] | undefined;
  #over = false;
  /** What is to be done where the answer does not arrive. */
  #lost: (() => void)[] | undefined;
  #controller: AbortController | undefined;
  #gone = false;
  #settled = false;

  constructor(call: AnyCall) {
    const deadline = Number(call.getDeadline());
    if (Number.isFinite(deadline)) this.deadline = deadline;
    this.#principal = credentialOf(call).principal;
    call.on('cancelled', () => {
      this.abandon();
      this.#over = true;
      for (const end of this.#ends?.splice(0) ?? []) end();
    });
  }

  /** Who calls: what the engine remembers for one is not told to another. */
  get principal(): string {
    return this.#principal.name;
  }

  /** Whether the caller may read a queue that its request does not name; few calls ask. */
  get mayRead(): (queue: string) => boolean {
    return (queue) => this.#principal.rights.may(READ, queue);
  }

  /** Made when it is first asked for: most calls are over before anybody does. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#gone) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Whether nobody waits for the answer any more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Whether an error says no more than that the call was given up. */
  isAbort(error: unknown): boolean {
    if (!this.#gone) return false;
    const name = error instanceof Error ? error.name : '';
    return name === 'AbortError' || error === this.#controller?.signal.reason;
  }

  /** The caller is gone, or will not get an answer. */
  abandon(): void {
    if (this.#settled || this.#gone) return;
    this.#gone = true;
    this.#controller?.abort();
  }

  /** The answer is on its way: what happens to the call from now on is no news. */
  settle(): void {
    this.#settled = true;
  }

  /** What the answer brings is to be taken back where it does not arrive. */
  onLost(takeBack: () => void): void {
    this.#lost ??= [];
    this.#lost.push(takeBack);
  }

  /** How to take back what the answer brings; absent: it brings nothing that could be lost. */
  get takeBack(): (() => void) | undefined {
    const lost = this.#lost;
    if (!lost) return undefined;
    return () => {
      for (const takeBack of lost.splice(0)) takeBack();
    };
  }

  /** Runs something once the call is over, its answer sent or not. */
  whenOver(end: () => void): void {
    if (this.#over) {
      end();
      return;
    }
    this.#ends ??= [];
    this.#ends.push(end);
  }
}
