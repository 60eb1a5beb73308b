import { Queue } from '@echomq/sdk';
import { Command } from 'commander';
import { overGateway } from '../gateway/over-gateway.js';
import { plain } from '../output/plain.js';
import type { Program } from '../program-state.js';
import { confirm } from '../terminal/confirm.js';

interface Options {
  readonly delayed?: boolean;
  readonly yes?: boolean;
}

/** `echomq drain`: what waits goes. */
export function drainCommand(program: Program): Command {
  const command = new Command('drain')
    .description('Removes all jobs that wait to run. Next runs of schedulers stay.')
    .argument('<queue>', 'the queue')
    .option('--delayed', 'those that wait for their time too')
    .option('--yes', 'do not ask (needed where nobody can answer)');
  return overGateway<[string], Options>(
    command,
    program,
    async ({ connection, terminal, json }, { delayed = false, yes = false }, [name]) => {
      const queue = new Queue(name, { connection });
      await confirm(terminal, `remove all jobs that wait in ${plain(name)}`, yes);
      const removed = await queue.drain(delayed);
      await terminal.out(
        json ? JSON.stringify({ queue: name, removed }) : `${removed} jobs removed`,
      );
    },
  );
}
