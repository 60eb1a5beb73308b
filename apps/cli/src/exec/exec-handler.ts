import { spawn } from 'node:child_process';
import type { Handler } from '@echomq/sdk';
import { Tail } from './tail.js';

/** What a result may have, in bytes: more is no result but a mistake. */
const MAX_OUTPUT = 1_048_576;
/** How much of the error stream a failure tells, in characters. */
const MAX_TAIL = 2_000;
/** Between the polite and the other signal, ms. */
const KILL_AFTER_MS = 5_000;

/** Groups that run. They are no part of this one's, so that nobody else ends them with this process. */
const running = new Set<number>();
let watched = false;

function watchExit(): void {
  if (watched) return;
  watched = true;
  process.once('exit', () => {
    for (const pid of running) killGroup(pid, 'SIGKILL');
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The token itself is none of a command's business; the paths of files are passed on, for `echomq add` and its like. */
const SECRETS = ['ECHOMQ_TOKEN'];

/**
 * A handler that runs a shell command for each job, in a process group of its own, and ends all of that group when the
 * job is lost. What the command prints is the result: as JSON if it is that, else as a text.
 */
export function execHandler(command: string, env: Variables): Handler<unknown, unknown> {
  return async (job, { signal }) => {
    const child = spawn('/bin/sh', ['-c', command], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...withoutSecrets(env),
        ECHOMQ_JOB_ID: job.id,
        ECHOMQ_JOB_NAME: job.name,
        ECHOMQ_JOB_QUEUE: job.queueName,
        ECHOMQ_JOB_ATTEMPT: `${job.attemptsMade + 1}`,
      },
    });
    const kill = (name: NodeJS.Signals) => killGroup(child.pid, name);
    watchExit();
    if (child.pid !== undefined) running.add(child.pid);
    let killing: NodeJS.Timeout | undefined;
    const stop = () => {
      kill('SIGTERM');
      killing = setTimeout(() => kill('SIGKILL'), KILL_AFTER_MS);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const output = new Tail(MAX_OUTPUT);
    const errors = new Tail(MAX_TAIL);
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
    // One that does not read its input is no failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(job.raw);
    try {
      const ended = await new Promise<Ended>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code, by) => resolve({ code, by }));
      });
      if (signal.aborted) throw signal.reason;
      return resultOf(ended, output, errors);
    } finally {
      clearTimeout(killing);
      // What ignored the polite signal, with no stream of ours that would tell of it.
      if (signal.aborted) kill('SIGKILL');
      running.delete(child.pid ?? 0);
      signal.removeEventListener('abort', stop);
    }
  };
}

interface Ended {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

function resultOf({ code, by }: Ended, output: Tail, errors: Tail): unknown {
  if (code !== 0) {
    const how = by === null ? `exit code ${code}` : `killed by ${by}`;
    const tail = errors.text().trim();
    throw new Error(tail === '' ? how : `${how}: ${tail}`);
  }
  if (output.cut) throw new Error(`the output has more than ${MAX_OUTPUT} bytes`);
  const text = output.text().trimEnd();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The shell and all that it started. */
function killGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended already.
  }
}

function withoutSecrets(env: Variables): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
}
