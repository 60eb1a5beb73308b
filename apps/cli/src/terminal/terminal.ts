import type { Readable, Writable } from 'node:stream';
import { EXIT } from '../exit/exit-codes.js';

/** What a command sees of the world around it. */
export interface Terminal {
  /** Somebody watches the output: it is no file and no pipe. */
  readonly isLive: boolean;
  /** Somebody can answer. */
  readonly isAttended: boolean;
  /** Variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stderr: Writable;
  /** Aborts at Ctrl-C or SIGTERM, for commands that go on until then. */
  readonly interrupted: AbortSignal;
  /** From now on an output whose reader is gone is an interruption, not the end of the process: something runs. */
  endGently(): void;
  /** Writes lines to the output, as fast as its reader takes them. */
  out(text: string): Promise<void>;
  /** Writes a line to the error stream. */
  note(text: string): void;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    // A second signal ends the process at once.
    process.on(name, () => (interrupt.signal.aborted ? process.exit(130) : interrupt.abort()));
  }
  let gently = false;
  const onUnwritable = ({ code }: NodeJS.ErrnoException) => {
    if (gently) return interrupt.abort();
    // `echomq list | head` is no error.
    if (code === 'EPIPE') process.exit(EXIT.done);
    if (stderr.writable) stderr.write(`echomq: the output cannot be written (${code})\n`);
    process.exit(EXIT.failed);
  };
  stdout.on('error', onUnwritable);
  stderr.on('error', onUnwritable);
  return {
    isLive: stdout.isTTY === true,
    isAttended: stdin.isTTY === true && stderr.isTTY === true,
    env,
    stdin,
    stderr,
    interrupted: interrupt.signal,
    endGently: () => {
      gently = true;
    },
    out: (text) =>
      new Promise((resolve) => {
        if (stdout.write(`${text}\n`)) resolve();
        else stdout.once('drain', resolve);
      }),
    note: (text) => void stderr.write(`${text}\n`),
  };
}
