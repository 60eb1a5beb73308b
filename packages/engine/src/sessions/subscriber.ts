import type { Consumer, Delivery, FetchTerms } from '../dispatch/consumer.js';
import type { QueueDispatch } from '../dispatch/queue-dispatch.js';
import type { Windows } from './windows.js';

/** What a subscriber needs of its stream. */
export interface SubscriberPorts {
  readonly windows: Windows;
  /** Whether the session takes jobs and the link has room. */
  readonly takesJobs: () => boolean;
  /** Hands the job to the session; false when it does not fit. */
  readonly deliver: (queueKey: string, delivery: Delivery) => boolean;
  /** Another queue of the stream may be the next to fetch. */
  readonly turnMoved: () => void;
}

/** A stream's demand on one queue. */
export class Subscriber implements Consumer {
  readonly filling = false;

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
    return this.ports.takesJobs() ? this.ports.windows.want(this.key) : 0;
  }

  begin(): void {
    this.ports.windows.begin(this.key);
    this.ports.turnMoved();
  }

  take(delivery: Delivery): boolean {
    this.ports.windows.end(this.key);
    return this.ports.deliver(this.key, delivery);
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
  }
}
