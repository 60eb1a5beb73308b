import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CANDIDATES, commandOf } from './candidates.js';
import { CASES } from './cases/index.js';
import { type Report, runSuite } from './suite.js';
import { table } from './table.js';

/** The page that has the grade of every candidate in every case. */
export const GRADES_PAGE = new URL('../../../docs/conformance.md', import.meta.url);

const BEGIN = '<!-- grades: written by `pnpm --filter @echomq/conformance grade` -->';
const END = '<!-- /grades -->';
const PASS = 'pass';

/** A candidate's report as `--json` prints it. */
export type Graded = Readonly<Record<string, Report>>;

/** The cells of each candidate by case id, as the page has them. */
type Columns = Readonly<Record<string, Readonly<Record<string, string>>>>;

function columnsOf(graded: Graded): Columns {
  const cells = ({ verdicts }: Report) =>
    Object.fromEntries(verdicts.map(({ id, passed }) => [id, passed ? PASS : '**fail**']));
  return Object.fromEntries(Object.entries(graded).map(([name, report]) => [name, cells(report)]));
}

/** The columns that a page has. */
function columnsIn(page: string): Columns {
  const rows = (page.split(BEGIN)[1]?.split(END)[0] ?? '').split('\n').filter(Boolean);
  const [head = [], , ...cases] = rows.map((row) => row.split(' | '));
  const name = (cell: string) => cell.split('`')[1] ?? '';
  const cell = (row: readonly string[], at: number) => row[at]?.replace(/ \|$/, '') ?? '';
  const column = (at: number) =>
    Object.fromEntries(cases.map((row) => [name(row[0] ?? ''), cell(row, at)]));
  return Object.fromEntries(head.slice(2).map((each, index) => [name(each), column(index + 2)]));
}

/** A row per case, a column per candidate, and the sums. */
function gradeTable(columns: Columns): string {
  const names = Object.keys(CANDIDATES).filter((name) => name in columns);
  const sums = names.map((name) => {
    const all = CASES.map(({ id }) => columns[name]?.[id]).filter((cell) => cell !== undefined);
    return `${all.filter((cell) => cell === PASS).length} of ${all.length}`;
  });
  return [
    ['Case', 'Grade', ...names.map((name) => `\`${name}\``)],
    ['---', '---', ...names.map(() => '---')],
    ...CASES.map(({ id, grade }) => {
      return [`\`${id}\``, grade, ...names.map((name) => columns[name]?.[id] ?? '–')];
    }),
    ['**all**', '', ...sums],
  ]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/**
 * The page with the columns of these candidates written anew; the others stay.
 *
 * @throws Error when the marks are missing
 */
export function withGrades(page: string, graded: Graded): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/conformance.md lacks ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${gradeTable({ ...columnsIn(page), ...columnsOf(graded) })}\n\n${END}${after}`;
}

/**
 * Plays every case against every candidate, or those that are named, one after the other, and writes the page.
 *
 * @param args names, and `--patience=N` for a machine with other work
 */
async function gradeAll(args: readonly string[]): Promise<number> {
  const named = args.filter((each) => !each.startsWith('--'));
  const patience = Number(args.find((each) => each.startsWith('--patience='))?.slice(11) ?? 1);
  const graded: Record<string, Report> = {};
  for (const [name, candidate] of Object.entries(CANDIDATES)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const worker = commandOf(candidate);
    if ('missing' in worker) {
      console.error(`${name}: ${worker.missing}; the page stays as it is`);
      return 2;
    }
    // A JVM takes some CPU time before its first word; where five begin at once, they leave streams that are not answered.
    const parallel = candidate.language === 'java' ? 2 : 5;
    const report = await runSuite({ worker, parallel, patience });
    graded[name] = report;
    for (const line of table(report)) if (/FAILED|conform/.test(line)) console.log(name, line);
  }
  writeFileSync(GRADES_PAGE, withGrades(readFileSync(GRADES_PAGE, 'utf8'), graded));
  return Object.values(graded).every(({ conforms }) => conforms) ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await gradeAll(process.argv.slice(2));
