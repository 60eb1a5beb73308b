import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a worker is started. */
export interface WorkerCommand {
  /** With the placeholders {address}, {queue} and {concurrency}. */
  readonly line: string;
  /** The folder in which it is run. */
  readonly cwd: string;
}

/** What the placeholders stand for. */
export interface WorkerPlace {
  readonly address: string;
  readonly queue: string;
  readonly concurrency: number;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const KEPT_BYTES = 8_192;

/** A worker's process: the candidate. */
export class WorkerProcess {
  /** Settles when the process has ended. Never rejects. */
  readonly exited: Promise<Exit>;
  /** How it ended, once it has. */
  exit: Exit | undefined;
  readonly #child: ChildProcess;
  #output = '';

  constructor(command: WorkerCommand, place: WorkerPlace) {
    const [program, ...args] = splitCommand(fill(command.line, place));
    this.#child = spawn(program ?? '', args, {
      cwd: command.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (text: Buffer) => {
      this.#output = (this.#output + text.toString()).slice(-KEPT_BYTES);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.exited = new Promise((resolve) => {
      const settle = (exit: Exit) => {
        this.exit ??= exit;
        resolve(this.exit);
      };
      this.#child.once('error', (error) => {
        this.#output += `${error.message}\n`;
        settle({ code: 127, signal: null });
      });
      this.#child.once('exit', (code, signal) => settle({ code, signal }));
    });
  }

  /** What it printed last. */
  get output(): string[] {
    return this.#output
      .split('\n')
      .filter((line) => line !== '')
      .slice(-20);
  }

  /** Asks it to end. */
  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Stops it where it is, as a machine does that sleeps. */
  stop(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Lets it go on. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends it if it has not ended, and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.exit) return;
    const gone = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

/** Puts the values into a command line. */
function fill(line: string, place: WorkerPlace): string {
  return line
    .replaceAll('{address}', place.address)
    .replaceAll('{queue}', place.queue)
    .replaceAll('{concurrency}', String(place.concurrency));
}

/**
 * The words of a command line, as a shell splits them: at blanks, but not within quotes. There is no shell between the
 * suite and the worker, because signals must reach the worker and its exit status is graded.
 */
export function splitCommand(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
