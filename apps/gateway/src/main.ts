#!/usr/bin/env node
import { accessSync, constants, readFileSync } from 'node:fs';
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { ConfigError, type Loaded, loadConfig } from './config.js';
import { FileError } from './files/file-error.js';
import { startGateway } from './gateway.js';
import { makeLogger } from './log.js';
import { VERSION } from './version.js';

/** Reads the configuration, or says all that is wrong with it and ends with 2. */
function configure(): Loaded {
  try {
    return loadConfig({
      env: process.env,
      argv: process.argv.slice(2),
      version: VERSION,
      readable,
      readText: (path) => readFileSync(path, 'utf8'),
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuse(error.problems);
  }
}

function refuse(problems: readonly string[]): never {
  process.stderr.write('echomq-gateway: the configuration is wrong\n');
  for (const problem of problems) process.stderr.write(`  ${problem}\n`);
  process.exit(2);
}

function readable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const loaded = configure();
  if (loaded.kind === 'print') {
    process.stdout.write(loaded.text);
    return;
  }
  const { config, shown } = loaded;
  // grpc-js would write lines of its own among ours; what it has to say comes as errors too.
  if (process.env.GRPC_VERBOSITY === undefined) setLogVerbosity(logVerbosity.NONE);
  const logger = makeLogger(config.logLevel, { format: config.logFormat });
  const die = (event: string) => (error: unknown) => {
    logger.error(event, { err: error });
    process.exit(1);
  };
  process.on('uncaughtException', die('process.uncaught'));
  process.on('unhandledRejection', die('process.unhandled'));
  logger.info('gateway.starting', { version: VERSION, config: shown });

  // Asked to end while it starts, it ends as soon as it has started.
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  let asked: NodeJS.Signals | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = signal;
      stop?.(signal);
    });
  }
  const gateway = await startGateway(config, logger);
  process.stdout.write(`echomq-gateway listening on ${gateway.address}\n`);
  logger.info('gateway.listening', {
    address: gateway.address,
    dashboardAddress: gateway.dashboardAddress,
    metricsAddress: gateway.metricsAddress,
  });
  stop = (signal) => {
    logger.info('gateway.draining', { signal, timeoutMs: config.drainTimeoutMs });
    gateway.close().then(() => {
      logger.info('gateway.ended', {});
      process.exit(0);
    }, die('gateway.endFailed'));
  };
  if (asked) stop(asked);
}

main().catch((error: unknown) => {
  if (error instanceof FileError) refuse(error.problems);
  process.stderr.write(`echomq-gateway: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
