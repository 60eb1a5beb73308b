import type { Command } from 'commander';
import { EXIT, type ExitCode } from './exit/exit-codes.js';
import { reportError } from './exit/report-error.js';
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
  throwInsteadOfExit(root);
  try {
    await root.parseAsync(args, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    return reportError(error, terminal, args.includes('--json'));
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}
