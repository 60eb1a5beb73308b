/** The command line as a value, for who embeds or documents it. The program itself is `echomq`. */
export { EXIT, type ExitCode } from './exit/exit-codes.js';
export { runCommandLine } from './run.js';
export { processTerminal, type Terminal } from './terminal/terminal.js';
