import { Command } from 'commander';
import { addCommand } from './commands/add.js';
import { benchCommand } from './commands/bench.js';
import { cleanCommand } from './commands/clean.js';
import { completionCommand, completionServer } from './commands/completion.js';
import { doctorCommand } from './commands/doctor.js';
import { drainCommand } from './commands/drain.js';
import { eventsCommand } from './commands/events.js';
import { pauseCommand, resumeCommand } from './commands/gate.js';
import { getCommand } from './commands/get.js';
import { listCommand } from './commands/list.js';
import { removeCommand } from './commands/remove.js';
import { retryCommand } from './commands/retry.js';
import { schedulersCommand } from './commands/schedulers.js';
import { statusCommand } from './commands/status.js';
import { workCommand } from './commands/work.js';
import type { Program } from './program-state.js';
import { VERSION } from './version.js';

const COMMANDS = [
  ...[statusCommand, addCommand, getCommand, listCommand, retryCommand, removeCommand],
  ...[pauseCommand, resumeCommand, drainCommand, cleanCommand, schedulersCommand, eventsCommand],
  ...[workCommand, benchCommand, doctorCommand, completionCommand],
];

/** Every command with its arguments and flags. What is parsed runs on the program's terminal. */
export function buildProgram(program: Program): Command {
  const root = new Command('echomq')
    .description('Looks into the queues of an EchoMQ gateway, operates them and works on them.')
    .version(VERSION)
    .showHelpAfterError('(echomq COMMAND --help says more)')
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      '\nHow the gateway is reached (--address, --token-file, --tls …) and --json may stand before a command or behind it.',
    );
  for (const make of COMMANDS) root.addCommand(make(program));
  root.addCommand(
    completionServer(program, () => root),
    { hidden: true },
  );
  return root;
}
