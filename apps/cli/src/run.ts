import type { Command } from 'commander';
import { EXIT, type ExitCode } from './exit/exit-codes.js';
import { reportError } from './exit/report-error.js';
import { leadingFlagsBehind } from './gateway/leading-flags.js';
import { buildProgram } from './program.js';
import type { Program } from './program-state.js';
import type { Terminal } from './terminal/terminal.js';

/** Runs one command line. Returns the exit code; never throws. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const program: Program = { terminal, exitCode: EXIT.done };
  const root = buildProgram(program);
  const json = args.includes('--json');
  configure(root, terminal, json);
  try {
    await root.parseAsync(leadingFlagsBehind(root, args), { from: 'user' });
    return program.exitCode;
  } catch (error) {
    return reportError(error, terminal, json);
  }
}

/** Nothing ends the process but its end, and nothing is written past the terminal. */
function configure(command: Command, terminal: Terminal, json: boolean): void {
  command.exitOverride();
  if (json) command.showHelpAfterError(false);
  command.configureOutput({
    writeOut: (text) => void terminal.out(text.trimEnd()),
    writeErr: (text) => terminal.note(text.trimEnd()),
    // In JSON the error is said once, by whoever reports it.
    ...(json ? { outputError: () => undefined } : {}),
  });
  for (const each of command.commands) configure(each, terminal, json);
}
