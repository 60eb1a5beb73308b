import { resolve } from 'node:path';
import { SAMPLE_WORKERS } from '@echomq/languages';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { ROOT } from './root.js';

const NAMES = Object.keys(SAMPLE_WORKERS).join(',');

/** What a run of the demo is told. */
export interface DemoOptions {
  /** Absolute path of the folder whose files get a checksum. */
  readonly folder: string;
  /** At most so many of them. */
  readonly maxFiles: number;
  /** Jobs that one worker runs at a time. */
  readonly concurrency: number;
  /** Start a new worker in the place of the one that is killed. */
  readonly replace: boolean;
  /** The languages of the workers, by the names of SAMPLE_WORKERS. */
  readonly workers: readonly string[];
  /** The run fails when jobs are left after this, ms. */
  readonly limitMs: number;
  /** A server that exists, from `ECHOMQ_REDIS_URL`; else a private one is started. */
  readonly redisUrl: string | undefined;
  /** Absolute path of a file for what the gateway's metrics are at the end; absent: none are kept. */
  readonly metricsFile?: string | undefined;
}

/** Options, or the exit status with which the process is to end at once (`--help`, a bad flag). */
export type ParsedOptions = DemoOptions | { readonly exit: number };

/** Reads the command line. commander itself has written what there was to say when this gives an exit status. */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): ParsedOptions {
  const command = demoCommand();
  try {
    // pnpm hands `--` on to the script.
    command.parse(args[0] === '--' ? args.slice(1) : [...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return { exit: error.exitCode };
    throw error;
  }
  const flags = command.opts<Flags>();
  const here = env.INIT_CWD ?? process.cwd();
  return {
    // pnpm runs scripts in the root; the folder is meant from where the user is.
    folder: resolve(here, command.args[0] ?? ROOT),
    maxFiles: flags.maxFiles,
    concurrency: flags.concurrency,
    replace: flags.replace,
    workers: flags.workers,
    limitMs: flags.limit * 1_000,
    redisUrl: env.ECHOMQ_REDIS_URL || undefined,
    metricsFile: flags.metrics === undefined ? undefined : resolve(here, flags.metrics),
  };
}

interface Flags {
  readonly maxFiles: number;
  readonly concurrency: number;
  readonly replace: boolean;
  readonly workers: readonly string[];
  readonly limit: number;
  readonly metrics?: string;
}

function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Checksums of the files of a folder through Redis, the gateway and three worker processes, ' +
        'one of which is killed on the way; then the books are checked.',
    )
    .argument('[folder]', "the folder; by default this repository's own tree with node_modules")
    .option('--max-files <n>', 'take at most so many files', wholeNumber(1, 1_000_000), 5_000)
    .option('--concurrency <n>', 'jobs that one worker runs at a time', wholeNumber(1, 1_000), 8)
    .option('--workers <names>', `languages of the workers, of ${NAMES}`, languages, ['ts'])
    .option('--no-replace', 'start no new worker in the place of the killed one')
    .option('--limit <seconds>', 'fail when jobs are left after this', wholeNumber(1, 86_400), 90)
    .option('--metrics <file>', "write the gateway's metrics there at the end")
    .addHelpText(
      'after',
      '\nECHOMQ_REDIS_URL names a server to use (redis://, rediss://, unix://) instead of a private\n' +
        'one; the demo keeps to a key prefix of its own there and removes its keys at the end.\n' +
        'Exit status: 0, or 1 with what is wrong listed.',
    )
    .allowExcessArguments(false)
    .exitOverride();
}

function languages(text: string): readonly string[] {
  const names = text.split(',');
  const strange = names.find((name) => !Object.hasOwn(SAMPLE_WORKERS, name));
  if (strange === undefined) return names;
  throw new InvalidArgumentError(`No worker in "${strange}"; there are ${NAMES}.`);
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`A whole number from ${min} to ${max}.`);
  };
}
