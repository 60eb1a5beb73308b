import { fileURLToPath } from 'node:url';
import { ensureServer } from '@echomq/local-redis';
import { Command, InvalidArgumentError } from 'commander';
import { measureCalls } from './calls/measure-calls.js';
import { callsTable, writeCalls } from './calls/table.js';
import { CONTENDERS, type ContenderName } from './contender.js';
import type { Figures } from './measure.js';
import { part, quick, SCENES, type Scene } from './plan.js';
import { machine } from './report/machine.js';
import { numberText } from './report/number-text.js';
import { verdicts } from './report/verdicts.js';
import { type ReportedRun, write } from './report/write.js';
import { runScene, type SceneResult } from './run/run-plan.js';

interface Options {
  readonly quick?: boolean;
  readonly rounds?: number;
  readonly only?: readonly string[];
  readonly contenders?: readonly ContenderName[];
  readonly out?: string;
  readonly part?: number;
  readonly calls?: boolean;
  readonly shared?: boolean;
}

/** Where the reports stand. */
const REPORTS = fileURLToPath(new URL('../../../docs/benchmarks', import.meta.url));
/** The calls table as a scene of the plan. */
const CALLS = 'calls';
/** Rounds of the calls; one takes half a second. */
const CALL_ROUNDS = 100;

/** `pnpm bench`. Returns the exit code: 1 when a run failed or a floor was missed, 2 for a wrong option. */
export async function main(args: readonly string[]): Promise<number> {
  let code = 0;
  const command = new Command('bench')
    .description(
      'Measures EchoMQ beside bullmq 6 and 5, bull, bee-queue, groupmq and the bullmq of PyPI on a private Redis.',
    )
    .option('--quick', 'the short form: fewer jobs, two rounds, EchoMQ and bullmq 6 only')
    .option('--rounds <n>', 'runs of each contender in each scene (default: 5)', wholeNumber)
    .option('--only <scenes>', `of ${[...SCENES.map(({ id }) => id), CALLS].join(', ')}`, list)
    .option('--contenders <names>', `of ${CONTENDERS.join(', ')}`, list)
    .option('--out <folder>', 'writes the report, its charts and all figures there')
    .option(
      '--part <share>',
      'of the jobs of each scene, above 0 to 1: to see that it works',
      share,
    )
    .option(
      '--calls',
      'counts the commands of each transition and its Redis time beside the smallest script with the same effects, and ' +
        'writes the table into calls.md of --out (default: docs/benchmarks)',
    )
    .option('--shared', 'says in what is written that something else was at work on the machine')
    .action(async (options: Options) => {
      code = options.calls ? await calls(options) : await bench(options, args);
    })
    .exitOverride();
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof Error && 'exitCode' in error) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
  return code;
}

async function calls({ rounds = CALL_ROUNDS, shared = false, out = REPORTS }: Options) {
  await ensureServer();
  const rows = await measureCalls(rounds, ({ id }) => process.stderr.write(`  ${id}\n`));
  const table = callsTable(rows, { machine: machine(), rounds, shared });
  process.stdout.write(`${table}\n\n${await writeCalls(out, table)}\n`);
  return 0;
}

async function bench(options: Options, args: readonly string[]): Promise<number> {
  await ensureServer();
  const { out, quick: short, only, shared = false } = options;
  const rounds = options.rounds ?? (short ? 2 : 5);
  const about = { rounds, shared, command: ['pnpm bench', ...args].join(' ') };
  const results: SceneResult[] = [];
  for (const scene of scenes(options)) {
    process.stdout.write(`\n${scene.title}\n`);
    results.push(await runScene(scene, rounds, tell));
    // The whole takes long: whatever ends it leaves what it has.
    if (out !== undefined) await write(out, results, about);
  }
  const calls: ReportedRun['calls'] = (only ? only.includes(CALLS) : !short)
    ? { rows: await measureCalls(CALL_ROUNDS), rounds: CALL_ROUNDS }
    : undefined;
  if (out !== undefined) await write(out, results, calls ? { ...about, calls } : about);
  process.stdout.write('\n');
  const judged = verdicts(results, calls?.rows);
  for (const { target, measured, verdict } of judged) {
    if (verdict === 'not measured') continue;
    const text = `${numberText(measured)} (floor ${target.floor}, goal ${target.goal})`;
    process.stdout.write(`${verdict.padEnd(7)} ${target.title}: ${text}\n`);
  }
  const failed = results.some(({ series }) => series.some(({ problems }) => problems.length > 0));
  return failed || judged.some(({ verdict }) => verdict === 'missed') ? 1 : 0;
}

function scenes({ only, contenders, quick: short, part: some = 1 }: Options): readonly Scene[] {
  const chosen = SCENES.filter(({ id, quick: inQuick }) =>
    only ? only.includes(id) : !short || inQuick,
  );
  return chosen
    .map((scene) => part(short ? quick(scene) : scene, some))
    .map((scene) =>
      contenders
        ? { ...scene, contenders: scene.contenders.filter((name) => contenders.includes(name)) }
        : scene,
    );
}

function tell(contender: ContenderName, outcome: Figures | string): void {
  const text =
    typeof outcome === 'string'
      ? outcome
      : Object.entries(outcome)
          .map(([name, value]) => `${name} ${numberText(value)}`)
          .join('  ');
  process.stdout.write(`  ${contender.padEnd(16)} ${text}\n`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('a number from 1 on');
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('a number above 0, to 1');
  return value;
}

function list(text: string): string[] {
  return text.split(',');
}
