import { parseArgs } from 'node:util';
import { CASES } from './cases/index.js';
import { type Report, runSuite } from './suite.js';
import { table } from './table.js';

const USAGE = `Grades a worker that speaks echomq.v1: plays gateway and saboteur against it.

  pnpm --filter @echomq/conformance start --worker "COMMAND" [options]

  --worker COMMAND   starts the worker; {address}, {queue} and {concurrency} are filled in. It is started
                     without a shell, gets SIGTERM, and its exit status is graded. docs/protocol.md says
                     which handlers it must have.
  --cwd FOLDER       where it is started (default: the current folder)
  --only ID,ID       these cases alone
  --parallel N       cases at once, each with a worker of its own (default: 3)
  --patience N       N times as much time for everything, on a slow machine (default: 1)
  --older            plays a gateway of the first version of the contract
  --json             the verdicts as JSON on standard output
  --list             the cases, their grades and rules
`;

/** Runs the program. @returns the exit code: 0, 1 when a \`must\` failed, 2 for a wrong command line */
export async function main(args: readonly string[]): Promise<number> {
  // pnpm hands the `--` on that stands before a script's own arguments.
  const given = args[0] === '--' ? args.slice(1) : [...args];
  let options: ReturnType<typeof read>;
  try {
    options = read(given);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options.list) {
    for (const { id, grade, rule } of CASES) console.log(`${id}\t${grade}\t${rule}`);
    return 0;
  }
  if (options.worker === undefined) {
    console.error(USAGE);
    return 2;
  }
  return grade({ ...options, worker: options.worker });
}

type Options = ReturnType<typeof read> & { readonly worker: string };

async function grade({
  worker,
  cwd,
  only,
  parallel,
  patience,
  older,
  json,
}: Options): Promise<number> {
  let report: Report;
  try {
    report = await runSuite({
      worker: { line: worker, cwd },
      parallel,
      patience,
      older,
      ...(only ? { only } : {}),
      onVerdict: ({ id, passed, ms }) => {
        if (process.stderr.isTTY) console.error(`${passed ? 'passed' : 'FAILED'} ${id} ${ms} ms`);
      },
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    return 2;
  }
  if (json) console.log(JSON.stringify({ worker, ...report }, undefined, 2));
  else for (const line of table(report)) console.log(line);
  return report.conforms ? 0 : 1;
}

function read(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      worker: { type: 'string' },
      cwd: { type: 'string' },
      only: { type: 'string' },
      parallel: { type: 'string', default: '3' },
      patience: { type: 'string', default: '1' },
      older: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    // pnpm runs scripts in their package's folder and says where it was called.
    cwd: values.cwd ?? process.env.INIT_CWD ?? process.cwd(),
    only: values.only?.split(','),
    parallel: positive(values.parallel, '--parallel'),
    patience: positive(values.patience, '--patience'),
  };
}

function positive(text: string, flag: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`${flag} must be a number above 0`);
  return value;
}
