import type { ExitCode } from './exit/exit-codes.js';
import type { Terminal } from './terminal/terminal.js';

/** One run of the command line. */
export interface Program {
  readonly terminal: Terminal;
  /** What the command that ran came to. */
  exitCode: ExitCode;
}
