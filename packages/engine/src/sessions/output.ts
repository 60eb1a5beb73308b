import type { DeliveredJob, WorkOpened, WorkReportAck, WorkResponse } from '@echomq/proto/messages';
import type { WorkLink } from '../service.js';
import { Outbox } from './outbox.js';

/** Answers of one message. With an error each they stay far below the bound of a message. */
const MAX_TOGETHER = 100;

type Message = NonNullable<WorkResponse['message']>;

/** What a stream's output works with. */
export interface OutputParts {
  readonly link: WorkLink;
  /** Bound on the payloads of one delivery. */
  readonly maxBytes: number;
  /** Whether the worker reads several answers at once. */
  readonly together: boolean;
  /** A message has left. */
  readonly onSent: () => void;
  /** A message could not leave. */
  readonly onUnsendable: (message: Message, error: unknown) => void;
}

/** What leaves on a stream, in order; answers to reports and deliveries of one turn of the event loop in few messages. */
export class Output {
  readonly #parts: OutputParts;
  readonly #outbox: Outbox;
  #acks: WorkReportAck[] = [];
  /** What waits for the greeting. */
  #early: Message[] | undefined = [];
  #closed = false;

  constructor(parts: OutputParts) {
    this.#parts = parts;
    this.#outbox = new Outbox(parts.maxBytes, (jobs) => {
      this.send({ $case: 'delivery', value: { jobs } });
    });
  }

  /** Whether the worker was greeted. */
  get greeted(): boolean {
    return this.#early === undefined;
  }

  /** Greets the worker: nothing leaves before that. */
  greet(value: WorkOpened): void {
    this.#write({ $case: 'opened', value });
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) this.send(message);
  }

  /** Sends a message after what waits. An answer to a report may wait, until this turn is over at most. */
  send(message: Message): void {
    if (this.#early) {
      this.#early.push(message);
    } else if (message.$case === 'reportAck' && this.#parts.together) {
      this.#gather(message.value);
    } else {
      this.#flush();
      this.#write(message);
    }
  }

  /** Sends a job before this turn is over. */
  deliver(job: DeliveredJob, bytes: number): void {
    this.#outbox.push(job, bytes);
  }

  /** Sends the answers that wait, and nothing more. */
  close(): void {
    this.#flush();
    this.#closed = true;
  }

  #gather(ack: WorkReportAck): void {
    this.#acks.push(ack);
    if (this.#acks.length === MAX_TOGETHER) this.#flush();
    else if (this.#acks.length === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const acks = this.#acks;
    const [first] = acks;
    if (!first) return;
    this.#acks = [];
    if (acks.length === 1) this.#write({ $case: 'reportAck', value: first });
    else this.#write({ $case: 'reportAcks', value: { acks } });
  }

  #write(message: Message): void {
    if (this.#closed) return;
    try {
      this.#parts.link.send({ message });
      this.#parts.onSent();
    } catch (error) {
      this.#parts.onUnsendable(message, error);
    }
  }
}
