import type { DeliveredJob, WorkOpened, WorkResponse } from '@echomq/proto/messages';
import type { WorkLink } from '../service.js';
import { Outbox } from './outbox.js';
import { TurnAnswers } from './turn-answers.js';

/** Payloads that leave in one message with answers at most, bytes: however long these are, the message has room for both. */
const LIGHT_BYTES = 262_144;

type Message = NonNullable<WorkResponse['message']>;

/** What a stream's output works with. */
export interface OutputParts {
  readonly link: WorkLink;
  /** Bound on the payloads of one delivery. */
  readonly maxBytes: number;
  /** What the worker reads: with `reportBatches` several answers at once, with `turnBatches` other things among them. */
  readonly features: readonly string[];
  /** Whether answers to reports are to come: that to a heartbeat may wait for them. */
  readonly answersToCome: () => boolean;
  /** A message has left. */
  readonly onSent: () => void;
  /** A message could not leave. */
  readonly onUnsendable: (message: Message, error: unknown) => void;
}

/** What leaves on a stream, in order; what a turn of the event loop brings in as few messages as the worker reads. */
export class Output {
  readonly #parts: OutputParts;
  readonly #outbox: Outbox;
  readonly #answers = new TurnAnswers();
  readonly #together: boolean;
  readonly #turns: boolean;
  /** What waits for the greeting. */
  #early: Message[] | undefined = [];
  #closed = false;
  #leaving = false;

  constructor(parts: OutputParts) {
    this.#parts = parts;
    this.#together = parts.features.includes('reportBatches');
    this.#turns = this.#together && parts.features.includes('turnBatches');
    this.#outbox = new Outbox(parts.maxBytes, (jobs, bytes) => this.#deliver(jobs, bytes));
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
    } else if (message.$case === 'reportAck' && this.#together) {
      if (this.#answers.full) this.flush();
      this.#answers.report(message.value);
      this.#leaveSoon();
    } else if (message.$case === 'heartbeatAck' && this.#mayWait(message.value)) {
      if (this.#answers.full) this.flush();
      this.#answers.heartbeat(message.value);
    } else {
      this.flush();
      this.#write(message);
    }
  }

  /** Sends a job before this turn is over. */
  deliver(job: DeliveredJob, bytes: number): void {
    this.#outbox.push(job, bytes);
    this.#leaveSoon();
  }

  /** Sends the answers that wait: those to heartbeats do not leave by themselves. */
  flush(): void {
    const message = this.#answers.message();
    if (message) this.#write(message);
  }

  /** Sends the answers that wait, and nothing more. */
  close(): void {
    this.flush();
    this.#closed = true;
  }

  /** Once for the answers of a turn and what they bring. */
  #leaveSoon(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    process.nextTick(() => {
      this.#leaving = false;
      this.#outbox.flush();
      if (this.#answers.reports) this.flush();
    });
  }

  #deliver(jobs: DeliveredJob[], bytes: number): void {
    const light = bytes <= Math.min(LIGHT_BYTES, this.#parts.maxBytes / 2);
    const early = this.#early !== undefined;
    if (early || !this.#turns || !light) this.send({ $case: 'delivery', value: { jobs } });
    else this.#write(this.#answers.message(jobs) ?? { $case: 'delivery', value: { jobs } });
  }

  /** One that tells of a lease does not wait. */
  #mayWait({ leases }: { readonly leases: readonly unknown[] }): boolean {
    return this.#turns && leases.length === 0 && this.#parts.answersToCome();
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
