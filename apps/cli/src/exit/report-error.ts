import { EchoMQError } from '@echomq/sdk';
import { CommanderError } from 'commander';
import { plain } from '../output/plain.js';
import type { Terminal } from '../terminal/terminal.js';
import { adviceFor } from './advice.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';

/** A wrong command line that only the command itself could see. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Somebody broke off before anything was done. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Says what went wrong, why, and what to do about it; with `--json` as one object on the error stream. Returns the exit
 * code. Nothing of the options is repeated, so no secret of theirs can be.
 */
export function reportError(thrown: unknown, terminal: Terminal, json: boolean): ExitCode {
  // What the SDK could not have from this side says best itself why.
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const error = cause instanceof UsageError ? cause : thrown;
  // Commander has said it already, but for JSON.
  if (error instanceof CommanderError && (!json || isHelp(error))) {
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  const said = error instanceof Error ? error.message : String(error);
  const message = error instanceof CommanderError ? said.replace(/^error: /, '') : said;
  const broken = error instanceof Interrupted;
  const wrong = error instanceof UsageError || error instanceof CommanderError;
  const code = wrong ? EXIT.usage : broken ? EXIT.interrupted : exitCodeOf(error);
  const advice = adviceFor(error);
  if (json) {
    const known = error instanceof EchoMQError ? error : undefined;
    const { reason = '', retryable = false, metadata = {} } = known ?? {};
    terminal.note(
      JSON.stringify({
        error: { message, reason, code: known?.code ?? '', retryable, metadata, advice },
      }),
    );
    return code;
  }
  const reason = error instanceof EchoMQError && error.reason !== '' ? ` (${error.reason})` : '';
  terminal.note(`echomq: ${plain(message)}${reason}`);
  if (advice !== undefined) terminal.note(`  ${advice}`);
  return code;
}

/** What people asked to read, or were shown in the place of a command that they had not named. */
function isHelp({ code }: CommanderError): boolean {
  return /^commander\.(help|helpDisplayed|version)$/.test(code);
}
