import { Queue } from '@echomq/sdk';
import { Command, Option } from 'commander';
import { duration } from '../arguments/duration.js';
import { UsageError } from '../exit/report-error.js';
import { overGateway } from '../gateway/over-gateway.js';
import type { Program } from '../program-state.js';
import { progressBar } from '../terminal/progress-bar.js';
import { eachId } from './each-id.js';

interface Options {
  readonly all?: boolean;
  readonly state: 'failed' | 'completed';
  readonly name?: string;
  readonly olderThan?: number;
  readonly resetAttempts?: boolean;
}

/** `echomq retry`: finished jobs run again. */
export function retryCommand(program: Program): Command {
  const command = new Command('retry')
    .description('Makes finished jobs ready again: some by id, or all that failed.')
    .argument('<queue>', 'the queue')
    .argument('[ids...]', 'the ids of the jobs')
    .option('--all', 'all of the state, as --name and --older-than bound them')
    .addOption(
      new Option('--state <state>', 'the state that they are in')
        .choices(['failed', 'completed'])
        .default('failed'),
    )
    .option('--name <name>', 'with --all: only jobs of this name')
    .option('--older-than <span>', 'with --all: only jobs that finished so long ago', duration)
    .option('--reset-attempts', 'forget the attempts made');
  return overGateway<[string, string[]], Options>(
    command,
    program,
    async (
      session,
      { all = false, state, name, olderThan, resetAttempts = false },
      [queueName, ids],
    ) => {
      const queue = new Queue(queueName, { connection: session.connection });
      if (all === ids.length > 0) throw new UsageError('say which jobs: ids, or --all');
      if (!all) {
        return eachId(session, ids, 'ready', (id) => queue.retryJob(id, { state, resetAttempts }));
      }
      const { terminal, json } = session;
      const bar = progressBar(terminal, { what: 'ready', quiet: json });
      const moved = await queue
        .retryJobs({
          ...{ state, resetAttempts },
          ...(name === undefined ? {} : { name }),
          ...(olderThan === undefined ? {} : { olderThan }),
          onProgress: (count) => bar.update(count),
        })
        .finally(() => bar.stop());
      await terminal.out(
        json ? JSON.stringify({ queue: queueName, moved }) : `${moved} jobs ready`,
      );
      return undefined;
    },
  );
}
