import { Queue } from '@echomq/sdk';
import { Command } from 'commander';
import { overGateway } from '../gateway/over-gateway.js';
import type { Program } from '../program-state.js';
import { eachId } from './each-id.js';
import { jobNotFound } from './get.js';

interface Options {
  readonly force?: boolean;
  readonly children?: boolean;
}

/** `echomq remove`: jobs go, whatever their state. */
export function removeCommand(program: Program): Command {
  const command = new Command('remove')
    .description('Removes jobs by id.')
    .argument('<queue>', 'the queue')
    .argument('<ids...>', 'the ids of the jobs')
    .option('--force', 'also one that a worker runs: that loses it')
    .option('--children', 'their children too');
  return overGateway<[string, string[]], Options>(
    command,
    program,
    (session, { force = false, children = false }, [queueName, ids]) => {
      const queue = new Queue(queueName, { connection: session.connection });
      return eachId(session, ids, 'removed', async (id) => {
        if (await queue.remove(id, { force, removeChildren: children })) return;
        throw jobNotFound(queueName, id);
      });
    },
  );
}
