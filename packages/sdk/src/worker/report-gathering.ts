import type * as pb from '@echomq/proto/messages';

/** Reports of one message. */
const MAX_TOGETHER = 100;
/** A report whose payloads weigh more leaves alone, bytes: a hundred of the others stay below the bound of a message. */
const LIGHT_BYTES = 16_384;

/** Gathers the reports that leave in one turn of the event loop into as few messages as the server reads. */
export class ReportGathering {
  /** The server reads several at once. */
  together = false;
  readonly #send: (message: NonNullable<pb.WorkRequest['message']>) => void;
  #reports: pb.WorkReport[] = [];

  constructor(send: (message: NonNullable<pb.WorkRequest['message']>) => void) {
    this.#send = send;
  }

  /** Sends the report before this turn is over. */
  push(report: pb.WorkReport): void {
    if (!this.together || weightOf(report) > LIGHT_BYTES) {
      this.flush();
      this.#send({ $case: 'report', value: report });
      return;
    }
    this.#reports.push(report);
    if (this.#reports.length === MAX_TOGETHER) this.flush();
    else if (this.#reports.length === 1) process.nextTick(() => this.flush());
  }

  /** Sends what is there. */
  flush(): void {
    const reports = this.#reports;
    const [first] = reports;
    if (first === undefined) return;
    this.#reports = [];
    if (reports.length === 1) this.#send({ $case: 'report', value: first });
    else this.#send({ $case: 'reports', value: { reports } });
  }
}

/** About how many bytes a report carries: of a text each character counts as three. */
function weightOf({ outcome, progress, logs }: pb.WorkReport): number {
  let bytes = progress.length;
  for (const line of logs) bytes += 3 * line.length;
  const kind = outcome?.kind;
  if (kind?.$case === 'complete') bytes += kind.value.returnValue.length;
  else if (kind?.$case === 'fail') {
    const { message, stack, details } = kind.value;
    bytes += 3 * message.length + details.length;
    for (const line of stack) bytes += 3 * line.length;
  }
  return bytes;
}
