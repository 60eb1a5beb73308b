import type { WorkLogs, WorkProgress, WorkReport } from '@echomq/proto/messages';

/** What one stream may have on its way to the store before nothing more is read of it. */
const MOST_MESSAGES = 5_000;
const MOST_BYTES = 16_777_216;

/** A message of a worker that is carried to the store. */
type Carried = WorkReport | WorkProgress | WorkLogs;

/**
 * What a worker has sent and the store has not answered. Reading on regardless would let a worker that sends faster than
 * the store takes fill this process; a stream that is not read any further is held back by its own flow control.
 */
export class Intake {
  #messages = 0;
  #bytes = 0;
  #waiting: (() => void)[] = [];

  /** Whether so much is under way that nothing more is to be read. */
  get full(): boolean {
    return this.#messages >= MOST_MESSAGES || this.#bytes >= MOST_BYTES;
  }

  /** Counts a message until its write has settled, however it does. */
  hold(message: Carried, write: Promise<unknown>): void {
    const bytes = weightOf(message);
    this.#messages++;
    this.#bytes += bytes;
    const settled = () => {
      this.#messages--;
      this.#bytes -= bytes;
      if (!this.full) for (const done of this.#waiting.splice(0)) done();
    };
    write.then(settled, settled);
  }

  /** Resolves once there is room. */
  async room(): Promise<void> {
    while (this.full) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Bytes of what a message carries, about. */
function weightOf(message: Carried): number {
  if ('lines' in message) return sum(message.lines);
  const progress = message.progress?.byteLength ?? 0;
  if (!('reportId' in message)) return progress;
  const { logs, outcome } = message;
  const own = outcome?.kind?.$case === 'complete' ? outcome.kind.value.returnValue.byteLength : 0;
  const stack = outcome?.kind?.$case === 'fail' ? sum(outcome.kind.value.stack) : 0;
  return progress + sum(logs) + own + stack;
}

function sum(lines: readonly string[]): number {
  return lines.reduce((bytes, line) => bytes + line.length, 0);
}
