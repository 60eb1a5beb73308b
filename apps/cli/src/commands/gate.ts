import { Queue } from '@echomq/sdk';
import { Command } from 'commander';
import { overGateway } from '../gateway/over-gateway.js';
import { plain } from '../output/plain.js';
import type { Program } from '../program-state.js';

/** `echomq pause`: queues hand nothing out. */
export function pauseCommand(program: Program): Command {
  const command = new Command('pause').description(
    'Stops handing out jobs, for all workers; those at work go on.',
  );
  return gate(command, program, (queue) => queue.pause());
}

/** `echomq resume`: they do again. */
export function resumeCommand(program: Program): Command {
  const command = new Command('resume').description('Hands out jobs again.');
  return gate(command, program, (queue) => queue.resume());
}

function gate(command: Command, program: Program, act: (queue: Queue) => Promise<void>): Command {
  command.argument('<queues...>', 'the queues');
  const done = command.name() === 'pause' ? 'paused' : 'resumed';
  return overGateway<[string[]]>(
    command,
    program,
    async ({ connection, terminal, json }, _, [names]) => {
      for (const name of names) {
        await act(new Queue(name, { connection }));
        const line = json ? JSON.stringify({ queue: name, done }) : `${plain(name)} ${done}`;
        await terminal.out(line);
      }
    },
  );
}
