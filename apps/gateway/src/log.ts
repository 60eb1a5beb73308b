import type { EngineLogger } from '@echomq/engine';
import pino from 'pino';
import type { ReportBug } from './status-codes.js';
import { textLines } from './watching/text-lines.js';

/** The log of a gateway: with a level for what nobody wants to read as a rule. */
export interface GatewayLogger extends EngineLogger {
  /** Absent where such lines are not written: what they need is not gathered then. */
  debug?(event: string, facts: object): void;
}

/** Never in the log, whoever puts it there by mistake. */
const SECRET = ['authorization', 'token', 'leaseToken', 'password', 'data', 'returnValue'];

/** How a log is written. */
export interface LogOptions {
  /** `json`: a line of JSON per event; `text`: a line for people. */
  readonly format?: 'json' | 'text';
  /** Where lines go; stderr by default, so that stdout carries nothing but the ready line. */
  readonly to?: { write(line: string): void };
}

/** The log of this process. */
export function makeLogger(
  level: string,
  { format = 'json', to = pino.destination({ fd: 2, sync: true }) }: LogOptions = {},
): GatewayLogger {
  const options = { level, base: {}, redact: { paths: SECRET, censor: '[hidden]' } };
  const log = pino(options, format === 'text' ? textLines(to) : to);
  return {
    ...(log.isLevelEnabled('debug')
      ? { debug: (event: string, facts: object) => log.debug(facts, event) }
      : {}),
    info: (event, facts) => log.info(facts, event),
    warn: (event, facts) => log.warn(facts, event),
    error: (event, facts) => log.error(facts, event),
  };
}

/** Logs our own bugs under ids that their callers get instead of the text. */
export function bugReporter(logger: EngineLogger): ReportBug {
  return (id, error) => {
    logger.error('internal.error', {
      id,
      err: error instanceof Error ? error : new Error(String(error)),
    });
  };
}
