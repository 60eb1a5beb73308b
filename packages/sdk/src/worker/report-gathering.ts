import type * as pb from '@echomq/proto/messages';

/** Reports of one message. */
const MAX_TOGETHER = 100;
/** A report that weighs more leaves alone, bytes. */
const LIGHT_BYTES = 16_384;
/**
 * What the reports of one message weigh at most, bytes: every gateway takes so much, whatever its operator has set as the
 * bound of a message, for that exceeds its largest payload by 64 KiB. One that is too large would end the stream, and go
 * out again on the next.
 */
const MAX_BYTES = 49_152;
/** A report's numbers, and the tags and lengths of its fields, bytes. */
const FRAME_BYTES = 64;

/** Gathers the reports that leave in one turn of the event loop into as few messages as the server reads. */
export class ReportGathering {
  /** The server reads several at once. */
  together = false;
  /** It reads a heartbeat among them. */
  turns = false;
  readonly #send: (message: NonNullable<pb.WorkRequest['message']>) => void;
  #reports: pb.WorkReport[] = [];
  #bytes = 0;

  constructor(send: (message: NonNullable<pb.WorkRequest['message']>) => void) {
    this.#send = send;
  }

  /** Sends the report before this turn is over. */
  push(report: pb.WorkReport): void {
    const bytes = this.together ? weightOf(report) : 0;
    if (!this.together || bytes > LIGHT_BYTES) {
      this.flush();
      this.#send({ $case: 'report', value: report });
      return;
    }
    const full = this.#reports.length === MAX_TOGETHER;
    if (full || this.#bytes + bytes > MAX_BYTES) this.flush();
    this.#reports.push(report);
    this.#bytes += bytes;
    if (this.#reports.length === 1) process.nextTick(() => this.flush());
  }

  /** Sends a heartbeat after what is there: in one message with it where the server reads that and both fit. */
  beat(heartbeat: pb.WorkHeartbeat): void {
    const fits = this.turns && this.#bytes + namedBytes(heartbeat) <= MAX_BYTES;
    if (fits && this.#reports.length > 0) {
      this.#send({ $case: 'reports', value: { reports: this.#take(), heartbeat } });
      return;
    }
    this.flush();
    this.#send({ $case: 'heartbeat', value: heartbeat });
  }

  /** Sends what is there. */
  flush(): void {
    const reports = this.#take();
    const [first] = reports;
    if (first === undefined) return;
    if (reports.length === 1) this.#send({ $case: 'report', value: first });
    else this.#send({ $case: 'reports', value: { reports, heartbeat: undefined } });
  }

  #take(): pb.WorkReport[] {
    const reports = this.#reports;
    this.#reports = [];
    this.#bytes = 0;
    return reports;
  }
}

/** How many bytes a report has at most: of a text each character counts as three. */
function weightOf({ lease, outcome, progress, logs }: pb.WorkReport): number {
  let bytes = FRAME_BYTES + progress.length;
  if (lease) bytes += 3 * (lease.queue.length + lease.jobId.length + lease.leaseToken.length);
  for (const line of logs) bytes += lineBytes(line);
  const kind = outcome?.kind;
  if (kind?.$case === 'complete') bytes += kind.value.returnValue.length;
  else if (kind?.$case === 'fail') {
    const { errorName, message, stack, details } = kind.value;
    bytes += 3 * (errorName.length + message.length) + details.length;
    for (const line of stack) bytes += lineBytes(line);
  }
  return bytes;
}

/** How many bytes a heartbeat has at most. */
function namedBytes({ holdings }: pb.WorkHeartbeat): number {
  let bytes = FRAME_BYTES;
  if (holdings && 'jobs' in holdings.value) {
    for (const { leaseToken } of holdings.value.jobs) bytes += lineBytes(leaseToken) + 6;
  }
  return bytes;
}

/** A text of a list, with its tag and length. */
function lineBytes(line: string): number {
  return 3 * line.length + 6;
}
