import { type Job, type JobState, type ListOptions, Queue } from '@echomq/sdk';
import { Command, Option } from 'commander';
import { wholeNumber } from '../arguments/numbers.js';
import { STATES } from '../arguments/states.js';
import { overGateway } from '../gateway/over-gateway.js';
import { jobJson } from '../output/job-json.js';
import { short } from '../output/plain.js';
import { table } from '../output/table.js';
import { span } from '../output/times.js';
import type { Program } from '../program-state.js';

interface Options {
  readonly state?: JobState[];
  readonly name?: string;
  readonly limit: number;
  readonly order?: 'asc' | 'desc';
}

/** `echomq list`: jobs by state. */
export function listCommand(program: Program): Command {
  const command = new Command('list')
    .description('Lists jobs, by state; finished ones newest first, others oldest first.')
    .argument('<queue>', 'the queue')
    .addOption(new Option('--state <states...>', 'only these states; none: all').choices(STATES))
    .option('--name <name>', 'only jobs of this name')
    .option('--limit <n>', 'at most so many; 0: all', wholeNumber(), 50)
    .addOption(new Option('--order <order>', 'oldest or newest first').choices(['asc', 'desc']));
  return overGateway<[string], Options>(
    command,
    program,
    async ({ connection, terminal, json }, { state, name, limit, order }, [queueName]) => {
      const listed: ListOptions = {
        basic: !json,
        ...(limit > 0 ? { pageSize: Math.min(limit, 1_000) } : { pageSize: 1_000 }),
        ...(name === undefined ? {} : { name }),
        ...(order === undefined ? {} : { order }),
      };
      const rows: string[][] = [];
      let count = 0;
      for await (const job of new Queue(queueName, { connection }).getJobs(state, listed)) {
        if (json) await terminal.out(jobJson(job));
        else rows.push(row(job));
        count += 1;
        if (count === limit) break;
      }
      if (!json) await terminal.out(rows.length === 0 ? 'no jobs' : table(COLUMNS, rows));
    },
  );
}

const COLUMNS = [
  { head: 'id' },
  { head: 'name' },
  { head: 'state' },
  { head: 'age', right: true },
  { head: 'attempts', right: true },
  { head: 'failed because' },
];

function row(job: Job): string[] {
  return [
    short(job.id, 60),
    short(job.name, 40),
    job.state,
    span(Date.now() - job.timestamp),
    `${job.attemptsMade}/${attemptsOf(job)}`,
    short(job.failedReason ?? '', 60),
  ];
}

/** How often a job may be tried. BullMQ and EchoMQ store 0 where nothing was said: that is once. */
export function attemptsOf({ opts }: Job): number {
  return opts.attempts || 1;
}
