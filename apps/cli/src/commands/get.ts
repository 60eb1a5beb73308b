import { type Job, JobNotFound, Queue } from '@echomq/sdk';
import { Command } from 'commander';
import { overGateway } from '../gateway/over-gateway.js';
import { jobJson } from '../output/job-json.js';
import { plain } from '../output/plain.js';
import { instant } from '../output/times.js';
import type { Program } from '../program-state.js';
import { attemptsOf } from './list.js';

interface Options {
  readonly logs?: boolean;
}

/** `echomq get`: all that is known of one job. */
export function getCommand(program: Program): Command {
  const command = new Command('get')
    .description('Shows a job: where it is, its payload, result, attempts, why it failed.')
    .argument('<queue>', 'the queue')
    .argument('<id>', 'the id of the job')
    .option('--logs', 'the lines of its log too');
  return overGateway<[string, string], Options>(
    command,
    program,
    async ({ connection, terminal, json }, { logs: withLogs }, [queue, id]) => {
      const job = await new Queue(queue, { connection }).getJob(id);
      if (job === undefined) throw jobNotFound(queue, id);
      const logs: string[] = [];
      if (withLogs) for await (const line of job.logs()) logs.push(line);
      if (json) {
        await terminal.out(jobJson(job, withLogs ? { logs } : {}));
      } else {
        await terminal.out(
          [...described(job), ...logs.map((line) => `  | ${plain(line)}`)].join('\n'),
        );
      }
    },
  );
}

/** What the gateway would have said of a job that is not there. */
export function jobNotFound(queue: string, id: string): JobNotFound {
  return new JobNotFound(`there is no job ${id} in "${queue}"`, {
    code: 'NOT_FOUND',
    reason: 'JOB_NOT_FOUND',
    metadata: { queue, job_id: id },
  });
}

function described(job: Job): string[] {
  const { timestamp, processedOn, finishedOn, parent, stacktrace, ...rest } =
    job.toJSON() as ReturnType<Job['toJSON']> & {
      stacktrace: readonly string[];
      parent?: { id: string; queue: string };
    };
  const { attempts, ...opts } = job.opts;
  const facts: Record<string, unknown> = {
    ...rest,
    data: dataOf(job),
    opts: Object.keys(opts).length > 0 ? opts : undefined,
    attemptsMade: `${job.attemptsMade} of ${attemptsOf(job)}`,
    added: instant(timestamp as number),
    began: instant(processedOn as number | undefined),
    finished: instant(finishedOn as number | undefined),
    parent: parent === undefined ? undefined : `${parent.queue}:${parent.id}`,
  };
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(
      ([name, value]) =>
        `${name.padEnd(16)} ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
  const stack =
    stacktrace
      .at(-1)
      ?.split('\n')
      .map((line) => `  ${plain(line)}`) ?? [];
  return [...lines, ...stack];
}

/** The payload as it is stored: parsed and written anew, large numbers would lose digits. */
function dataOf({ raw }: Job): string {
  if (raw.length === 0) return '(none, or larger than one answer may be)';
  return new TextDecoder().decode(raw);
}
