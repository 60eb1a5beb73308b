import type { Consumer, Delivery, FetchTerms } from '../dispatch/consumer.js';
import type { QueueDispatch } from '../dispatch/queue-dispatch.js';
import type { Member } from './buffer-desk.js';
import type { Windows } from './windows.js';

/** What a subscriber needs of its stream. */
export interface SubscriberPorts {
  readonly windows: Windows;
  /** Whether the session takes jobs and the link has room. */
  readonly takesJobs: () => boolean;
  /** How many jobs may wait at the worker for a slot. */
  readonly spare: () => number;
  /** The queue's next job is taken for a free slot only. */
  readonly unbuffered: () => void;
  /** Hands the job to the session; false when it does not fit. */
  readonly deliver: (delivery: Delivery) => boolean;
  /** Asks for so many jobs back that have not begun; how many are asked for now. */
  readonly recall: (count: number) => number;
  /** It has slots and the queue has nothing. */
  readonly starved: () => void;
  /** Another queue of the stream may be the next to fetch. */
  readonly turnMoved: () => void;
}

/** A stream's demand on one queue. */
export class Subscriber implements Consumer, Member {
  readonly filling = false;
  /** Of the fetches that have begun and were not asked about yet: whether their jobs are to wait for a slot. */
  readonly #begun: boolean[] = [];

  constructor(
    readonly key: string,
    readonly dispatch: QueueDispatch,
    readonly terms: FetchTerms,
    private readonly ports: SubscriberPorts,
  ) {}

  /** Stands in line if it wants something. */
  demand(): void {
    if (this.want() > 0) this.dispatch.join(this);
  }

  want(): number {
    const { takesJobs, windows, spare } = this.ports;
    if (!takesJobs()) return 0;
    const now = windows.want(this.key);
    return now > 0 || !windows.isBeyond() ? now : windows.want(this.key, spare());
  }

  slots(): number {
    return this.ports.takesJobs() ? this.ports.windows.slots(this.key) : 0;
  }

  recall(count: number): number {
    return this.ports.recall(count);
  }

  begin(): void {
    this.#begun.push(this.ports.windows.isBeyond());
    this.ports.windows.begin(this.key);
    this.ports.turnMoved();
  }

  buffered(): boolean {
    return this.#begun.shift() ?? false;
  }

  unbuffered(): void {
    this.ports.windows.end(this.key);
    this.ports.unbuffered();
  }

  take(delivery: Delivery): boolean {
    this.ports.windows.end(this.key);
    return this.ports.deliver(delivery);
  }

  miss(): void {
    this.ports.windows.end(this.key);
  }

  fail(): void {
    this.ports.windows.end(this.key);
  }

  settle(idle: boolean): void {
    this.ports.windows.setIdle(this.key, idle);
    this.ports.turnMoved();
    if (idle && this.slots() > 0) this.ports.starved();
  }
}
