import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { spawnGuarded } from '@echomq/local-redis';

/** A program to start. */
export interface Program {
  /** How messages name it. */
  readonly name: string;
  /** Node unless given. */
  readonly binary?: string;
  /** Path of what Node runs, before the arguments. */
  readonly script?: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The line of its stdout that says that it is ready. */
  readonly ready: RegExp;
}

/** A process of the demo. It ends with this process, however that ends. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  /** The match of its ready line. */
  readonly readyMatch: RegExpExecArray;
  /** Resolves when it has ended and its output is read, with a text such as `exit status 1`. */
  readonly ended: Promise<string>;
  /** True until it has ended. */
  alive(): boolean;
  /** The last lines that it wrote. */
  lastLines(): readonly string[];
  signal(name: NodeJS.Signals): void;
  /**
   * Asks it to end (SIGTERM) and waits; kills it when that takes too long.
   *
   * @throws Error when it did not end by itself with status 0
   */
  stop(): Promise<void>;
}

/** The most that a process may take to be ready: a second on a quiet machine, many on one with other work. */
const START_LIMIT_MS = 60_000;
/** The most that a process may take to end in good order. */
const STOP_LIMIT_MS = 15_000;
const LINES_KEPT = 20;

/**
 * Starts a program and waits until it says that it is ready.
 *
 * @throws Error with its last lines when it does not, or with the signal's reason when that comes first
 */
export async function start(program: Program, signal: AbortSignal): Promise<Running> {
  const child = spawnGuarded({
    binary: program.binary ?? process.execPath,
    args: [...(program.script === undefined ? [] : [program.script]), ...program.args],
    cwd: process.cwd(),
    env: program.env,
    output: 'pipe',
  });
  const lines = new LastLines();
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, by) => resolve(by ? `signal ${by}` : `exit status ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const readyMatch = waitForLine({ child, program, lines, ended });
  lines.follow(child.stderr);
  const running = handle(program.name, { child, lines, ended });
  try {
    return { ...running, readyMatch: await within(readyMatch, signal) };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

interface Parts {
  readonly child: ChildProcess;
  readonly lines: LastLines;
  readonly ended: Promise<string>;
}

function handle(name: string, { child, lines, ended }: Parts): Omit<Running, 'readyMatch'> {
  const alive = () => child.exitCode === null && child.signalCode === null;
  const signal = (by: NodeJS.Signals): void => {
    if (alive()) child.kill(by);
  };
  const stop = async (): Promise<void> => {
    child.ref();
    signal('SIGCONT');
    signal('SIGTERM');
    const late = setTimeout(() => signal('SIGKILL'), STOP_LIMIT_MS);
    const how = await ended;
    clearTimeout(late);
    if (how !== 'exit status 0') throw new Error(`${name}: ${how}${lines.text()}`);
  };
  return {
    name,
    pid: child.pid ?? -1,
    ended,
    alive,
    lastLines: () => lines.all,
    signal,
    stop,
  };
}

function waitForLine(parts: Parts & { readonly program: Program }): Promise<RegExpExecArray> {
  const { child, program, lines, ended } = parts;
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`${program.name} is not ready after ${START_LIMIT_MS} ms`)),
      START_LIMIT_MS,
    );
    lines.follow(child.stdout, (line) => {
      const match = program.ready.exec(line);
      if (!match) return;
      clearTimeout(late);
      resolve(match);
    });
    void ended.then((how) => {
      clearTimeout(late);
      reject(new Error(`${program.name} ended before it was ready: ${how}${lines.text()}`));
    });
  });
}

/** A promise, or the signal's reason when that comes first. */
export function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

class LastLines {
  readonly all: string[] = [];

  follow(stream: Readable | null, onLine: (line: string) => void = () => {}): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.all.push(line);
      if (this.all.length > LINES_KEPT) this.all.shift();
      onLine(line);
    });
  }

  text(): string {
    return this.all.length === 0 ? '' : `; it wrote:\n  ${this.all.join('\n  ')}`;
  }
}
