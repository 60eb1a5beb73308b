import { Command } from 'commander';
import { addCommand } from './commands/add.js';
import { getCommand } from './commands/get.js';
import { listCommand } from './commands/list.js';
import { statusCommand } from './commands/status.js';
import type { Program } from './program-state.js';
import { VERSION } from './version.js';

/** Every command with its arguments and flags. What is parsed runs on the program's terminal. */
export function buildProgram(program: Program): Command {
  const root = new Command('echomq')
    .description('Looks into queues of an EchoMQ gateway, operates them and works on them.')
    .version(VERSION)
    .showHelpAfterError('(echomq COMMAND --help says more)')
    .showSuggestionAfterError();
  for (const make of [statusCommand, addCommand, getCommand, listCommand]) {
    root.addCommand(make(program));
  }
  return root;
}
