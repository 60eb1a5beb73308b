import type { EngineLogger } from '@echomq/engine';
import pino from 'pino';
import type { ReportBug } from './status-codes.js';

/** The log of this process: lines of JSON on stderr, so that stdout carries nothing but the ready line. */
export function makeLogger(level: string): EngineLogger {
  const log = pino({ level, base: {} }, pino.destination({ fd: 2, sync: true }));
  return {
    info: (event, facts) => log.info(facts, event),
    warn: (event, facts) => log.warn(facts, event),
    error: (event, facts) => log.error(facts, event),
  };
}

/** Logs our own bugs under ids that their callers get instead of the text. */
export function bugReporter(logger: EngineLogger): ReportBug {
  return (id, error) => {
    logger.error('internal error', {
      id,
      err: error instanceof Error ? error : new Error(String(error)),
    });
  };
}
