import { type JobSchedulerJson, Queue, type RepeatOptions } from '@echomq/sdk';
import { Command } from 'commander';
import { duration } from '../arguments/duration.js';
import { wholeNumber } from '../arguments/numbers.js';
import { payload } from '../arguments/payload.js';
import { errorOfMissingScheduler } from '../exit/missing-scheduler.js';
import { UsageError } from '../exit/report-error.js';
import { overGateway } from '../gateway/over-gateway.js';
import { plain } from '../output/plain.js';
import { table } from '../output/table.js';
import { instant, span } from '../output/times.js';
import type { Program } from '../program-state.js';

/** `echomq schedulers`: what makes jobs again and again. */
export function schedulersCommand(program: Program): Command {
  return new Command('schedulers')
    .description('Lists, sets and removes job schedulers.')
    .addCommand(listSchedulers(program), { isDefault: true })
    .addCommand(setScheduler(program))
    .addCommand(removeScheduler(program))
    .addCommand(previewSchedule(program));
}

function listSchedulers(program: Program): Command {
  const command = new Command('list')
    .description('Lists the schedulers of a queue, the next to run first.')
    .argument('<queue>', 'the queue');
  return overGateway<[string]>(
    command,
    program,
    async ({ connection, terminal, json }, _, [name]) => {
      const rows: string[][] = [];
      for await (const each of new Queue(name, { connection }).getJobSchedulers()) {
        if (json) await terminal.out(JSON.stringify(each));
        else
          rows.push([
            each.key,
            each.name,
            rule(each),
            instant(each.next),
            `${each.iterationCount}`,
          ]);
      }
      if (json) return;
      const heads = ['id', 'job', 'rule', 'next', 'runs'];
      const columns = heads.map((head) => ({ head, right: head === 'runs' }));
      await terminal.out(rows.length === 0 ? 'no schedulers' : table(columns, rows));
    },
  );
}

function rule({ every, pattern, tz }: JobSchedulerJson): string {
  if (every !== undefined) return `every ${span(every)}`;
  return tz === undefined ? `${pattern}` : `${pattern} (${tz})`;
}

interface Rule {
  readonly every?: number;
  readonly pattern?: string;
  readonly tz?: string;
  readonly limit?: number;
}

function withRule(command: Command): Command {
  return command
    .option('--every <span>', 'at a steady interval', duration)
    .option('--pattern <cron>', 'by a cron rule of five fields, or six with seconds first')
    .option('--tz <zone>', 'the zone of the rule, as Europe/Berlin; UTC by default')
    .option('--limit <n>', 'at most so many runs', wholeNumber(1));
}

function repeatOf({ every, pattern, tz, limit }: Rule): RepeatOptions {
  if ((every === undefined) === (pattern === undefined)) {
    throw new UsageError('say --every or --pattern');
  }
  const given = Object.entries({ every, pattern, tz, limit });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as RepeatOptions;
}

function setScheduler(program: Program): Command {
  const command = new Command('set')
    .description('Makes a scheduler, or replaces the one with this id.')
    .argument('<queue>', 'the queue')
    .argument('<id>', 'its id')
    .argument('[data]', 'the payload of its jobs, JSON; `-`: the input; none: {}')
    .option('--name <name>', 'the name of its jobs; its id by default');
  return overGateway<[string, string, string?], Rule & { readonly name?: string }>(
    withRule(command),
    program,
    async ({ connection, terminal, json }, options, [name, id, data]) => {
      const queue = new Queue(name, { connection });
      const job = options.name === undefined ? {} : { name: options.name };
      const template = { ...job, data: await payload(data, terminal.stdin) };
      const next = await queue.upsertJobScheduler(id, repeatOf(options), template);
      const at = next.nextRun.toISOString();
      const told = { queue: name, scheduler: id, nextJobId: next.id, next: at };
      await terminal.out(json ? JSON.stringify(told) : `${plain(id)} runs next at ${at}`);
    },
  );
}

function removeScheduler(program: Program): Command {
  const command = new Command('remove')
    .description('Removes a scheduler and its next run, where that waits for its time.')
    .argument('<queue>', 'the queue')
    .argument('<id>', 'its id');
  return overGateway<[string, string]>(
    command,
    program,
    async ({ connection, terminal, json }, _, [name, id]) => {
      const queue = new Queue(name, { connection });
      if (!(await queue.removeJobScheduler(id))) throw errorOfMissingScheduler(name, id);
      const told = { queue: name, scheduler: id, done: 'removed' };
      await terminal.out(json ? JSON.stringify(told) : `${plain(id)} removed`);
    },
  );
}

function previewSchedule(program: Program): Command {
  const command = new Command('preview')
    .description('Tells when a rule would run; changes nothing.')
    .option('--count <n>', 'so many runs', wholeNumber(1), 5);
  return overGateway<[], Rule & { readonly count: number }>(
    withRule(command),
    program,
    async ({ connection, terminal, json }, options) => {
      const queue = new Queue('preview', { connection });
      const runs = await queue.previewSchedule(repeatOf(options), { count: options.count });
      for (const run of runs) {
        const at = run.toISOString();
        await terminal.out(json ? JSON.stringify({ at }) : at);
      }
    },
  );
}
