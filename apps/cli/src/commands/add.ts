import { createInterface } from 'node:readline/promises';
import { type JobsOptions, Queue } from '@echomq/sdk';
import { Command } from 'commander';
import { backoff } from '../arguments/backoff.js';
import { duration } from '../arguments/duration.js';
import { wholeNumber } from '../arguments/numbers.js';
import { parseJson, payload } from '../arguments/payload.js';
import { UsageError } from '../exit/report-error.js';
import { overGateway, type Session } from '../gateway/over-gateway.js';
import { plain } from '../output/plain.js';
import type { Program } from '../program-state.js';
import { progressBar } from '../terminal/progress-bar.js';

interface Options {
  readonly lines?: boolean;
  readonly jobId?: string;
  readonly delay?: number;
  readonly priority?: number;
  readonly attempts?: number;
  readonly backoff?: NonNullable<JobsOptions['backoff']>;
  readonly lifo?: boolean;
  readonly deduplicationId?: string;
  readonly deduplicationTtl?: number;
  readonly removeOnComplete?: boolean;
  readonly removeOnFail?: boolean;
  readonly wait?: boolean | number;
}

/** Jobs that go out together from the lines of the input. */
const PART = 500;

/** `echomq add`: one job, or one for each line of the input. */
export function addCommand(program: Program): Command {
  const command = new Command('add')
    .description('Adds a job, or one for each line of the input.')
    .argument('<queue>', 'the queue')
    .argument('<name>', 'the name of the job, on which its handler branches')
    .argument('[data]', 'its payload, JSON; `-`: the input; none: {}')
    .option('--lines', 'each line of the input is the payload of a job')
    .option('--job-id <id>', 'an id of your choice; a second job of it is not added')
    .option('--delay <span>', 'ready only after this', duration)
    .option('--priority <n>', '0 (none, runs first) to 2097151 (last)', wholeNumber())
    .option('--attempts <n>', 'how often it may be tried', wholeNumber(1))
    .option('--backoff <span>', 'the wait between attempts: 5s, or exponential:1s', backoff)
    .option('--lifo', 'to the front of those that wait')
    .option('--deduplication-id <id>', 'keeps a second job of the same meaning out')
    .option('--deduplication-ttl <span>', 'how long that id stays taken', duration)
    .option('--remove-on-complete', 'do not keep it once it has completed')
    .option('--remove-on-fail', 'do not keep it once it has failed')
    .option('--wait [span]', 'wait for its end and print its result', duration);
  return overGateway<[string, string, string?], Options>(
    command,
    program,
    async (session, options, [queueName, name, data]) => {
      const queue = new Queue(queueName, { connection: session.connection });
      if (options.lines) {
        if (data !== undefined) throw new UsageError('--lines reads the input: leave DATA out');
        return addLines(session, queue, name, optionsOf(options));
      }
      const value = await payload(data, session.terminal.stdin);
      const job = await queue.add(name, value, optionsOf(options));
      if (options.wait !== undefined) return waitFor(session, queue, job.id, options.wait);
      const { id, outcome, state } = job;
      const words = outcome === 'created' ? `${id} ${state}` : `${id} ${state} (${outcome})`;
      await session.terminal.out(
        session.json ? JSON.stringify({ queue: queueName, id, state, outcome }) : plain(words),
      );
    },
  );
}

/** Prints the result alone, so that it can be piped. @throws JobFailed, WaitTimedOut */
async function waitFor(
  { terminal, json }: Session,
  queue: Queue,
  id: string,
  wait: boolean | number,
): Promise<void> {
  const signal = terminal.interrupted;
  const ttl = typeof wait === 'number' ? { ttl: wait } : {};
  const returnvalue = await queue.waitForJob(id, { ...ttl, signal });
  await terminal.out(
    JSON.stringify(json ? { queue: queue.name, id, returnvalue } : (returnvalue ?? null)),
  );
}

async function addLines(
  session: Session,
  queue: Queue,
  name: string,
  opts: JobsOptions,
): Promise<void> {
  const { terminal, json } = session;
  if (opts.jobId !== undefined) throw new UsageError('--job-id is for one job, not for --lines');
  const bar = progressBar(terminal, { what: 'added', quiet: json });
  let part: { name: string; data: unknown; opts: JobsOptions }[] = [];
  let line = 0;
  let added = 0;
  const send = async () => {
    const jobs = await queue.addBulk(part);
    part = [];
    added += jobs.length;
    bar.update(added);
    if (json) {
      for (const { id, state, outcome } of jobs) {
        await terminal.out(JSON.stringify({ queue: queue.name, id, state, outcome }));
      }
    }
  };
  try {
    for await (const text of createInterface({ input: terminal.stdin })) {
      line += 1;
      if (text.trim() === '') continue;
      part.push({ name, data: parseJson(text, `line ${line}`), opts });
      if (part.length >= PART) await send();
    }
    if (part.length > 0) await send();
  } catch (error) {
    if (added > 0) terminal.note(`echomq: ${added} jobs were added before it failed`);
    throw error;
  } finally {
    bar.stop();
  }
  if (!json) await terminal.out(`${added} jobs added`);
}

function optionsOf(options: Options): JobsOptions {
  const { jobId, delay, priority, attempts, lifo, removeOnComplete, removeOnFail } = options;
  const { deduplicationId, deduplicationTtl: ttl } = options;
  if (ttl !== undefined && deduplicationId === undefined) {
    throw new UsageError('--deduplication-ttl goes with --deduplication-id');
  }
  const deduplication =
    deduplicationId === undefined
      ? undefined
      : { id: deduplicationId, ...(ttl === undefined ? {} : { ttl }) };
  const all = {
    jobId,
    delay,
    priority,
    attempts,
    lifo,
    removeOnComplete,
    removeOnFail,
    deduplication,
  };
  const given = Object.entries({ ...all, backoff: options.backoff }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given) as JobsOptions;
}
