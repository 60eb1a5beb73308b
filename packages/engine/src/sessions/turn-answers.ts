import type {
  DeliveredJob,
  WorkHeartbeatAck,
  WorkReportAck,
  WorkResponse,
} from '@echomq/proto/messages';

/** Answers of one message. With an error each they stay far below the bound of a message. */
const MAX_TOGETHER = 100;

type Message = NonNullable<WorkResponse['message']>;

/** Answers that wait to leave together. */
export class TurnAnswers {
  #acks: WorkReportAck[] = [];
  #heartbeatAcks: WorkHeartbeatAck[] = [];

  /** Whether no more fit into a message. */
  get full(): boolean {
    return this.#acks.length === MAX_TOGETHER || this.#heartbeatAcks.length === MAX_TOGETHER;
  }

  /** Whether there is one to a report. */
  get reports(): boolean {
    return this.#acks.length > 0;
  }

  /** Adds the answer to a report. */
  report(ack: WorkReportAck): void {
    this.#acks.push(ack);
  }

  /** Adds the answer to a heartbeat. */
  heartbeat(ack: WorkHeartbeatAck): void {
    this.#heartbeatAcks.push(ack);
  }

  /** The message of all that waits, and of these jobs; `undefined`: nothing waits. A single answer needs no list. */
  message(jobs?: DeliveredJob[]): Message | undefined {
    const [acks, heartbeatAcks] = [this.#acks, this.#heartbeatAcks];
    const waiting = acks.length + heartbeatAcks.length;
    if (waiting === 0) return undefined;
    this.#acks = [];
    this.#heartbeatAcks = [];
    const [ack, beat] = [acks[0], heartbeatAcks[0]];
    if (!jobs && waiting === 1) {
      if (ack) return { $case: 'reportAck', value: ack };
      if (beat) return { $case: 'heartbeatAck', value: beat };
    }
    const delivery = jobs && { jobs };
    return { $case: 'reportAcks', value: { acks, delivery, heartbeatAcks } };
  }
}
