import { createInterface } from 'node:readline';
import { spawnGuarded } from '@echomq/local-redis';
import { onTestFinished } from 'vitest';
import { track } from '../leaks/registry.js';
import { type Collected, collect } from '../signals/collect.js';
import { type Signal, signal } from '../signals/signal.js';

/** How a Node process is started. */
export interface SpawnNodeOptions {
  readonly args?: readonly string[];
  /** Added to this process's environment; `undefined` takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Flags of node itself, for example `['--import', 'tsx']`. */
  readonly nodeArgs?: readonly string[];
  readonly cwd?: string;
  /** The line that says that it is ready; else its first line. */
  readonly ready?: RegExp;
  /** How long it may take to say so; 10,000 ms unless given. */
  readonly readyLimitMs?: number;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A Node process, ended with the test that started it, and with this process. */
export interface NodeProcess extends AsyncDisposable {
  readonly pid: number;
  /** The line by which it said that it was ready. */
  readonly readyLine: string;
  /** What it has written to stdout and stderr, by lines. */
  readonly lines: Collected<string>;
  /** How it ends; for `exit.wait()`. */
  readonly exit: Signal<Exit>;
  kill(signal?: NodeJS.Signals): void;
  /** Freezes it (SIGSTOP): its connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Kills it unless it has ended, and waits. */
  stop(): Promise<void>;
}

/**
 * Starts a Node process and waits for its ready line.
 *
 * @throws Error when it ends, or says nothing in time, before it is ready; with what it wrote.
 */
export async function spawnNode(
  file: string,
  options: SpawnNodeOptions = {},
): Promise<NodeProcess> {
  const child = spawnGuarded({
    binary: process.execPath,
    args: [...(options.nodeArgs ?? []), file, ...(options.args ?? [])],
    cwd: options.cwd ?? process.cwd(),
    env: { ...process.env, ...options.env },
    output: 'pipe',
  });
  const lines = collect<string>('lines');
  const ready = signal<string>(`the ready line of ${file}`);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (options.ready?.test(line) ?? true) ready.resolve(line);
    });
  }
  const exit = signal<Exit>(`the end of ${file}`);
  const untrack = track(`node process ${child.pid} (${file})`);
  // `close`: its output has been read to the end.
  child.once('close', (code, by) => {
    untrack();
    ready.reject(new Error(`${file} ended before it was ready`));
    exit.resolve({ code, signal: by });
  });
  const kill = (name: NodeJS.Signals = 'SIGTERM'): void => {
    if (child.exitCode === null && child.signalCode === null) child.kill(name);
  };
  const stop = async (): Promise<void> => {
    kill('SIGKILL');
    await exit.wait();
  };
  endWithTest(stop);
  const readyLine = await ready.wait(options.readyLimitMs ?? 10_000).catch(async (error) => {
    await stop();
    throw new Error(`${(error as Error).message}; it wrote:\n${lines.items.join('\n')}`);
  });
  return {
    pid: child.pid ?? -1,
    readyLine,
    lines,
    exit,
    kill,
    pause: () => kill('SIGSTOP'),
    resume: () => kill('SIGCONT'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Outside a test (in a hook) there is no test to end with: the caller stops it. */
function endWithTest(stop: () => Promise<void>): void {
  try {
    onTestFinished(stop);
  } catch {
    // No test is running.
  }
}
