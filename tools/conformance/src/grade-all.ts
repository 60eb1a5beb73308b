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

/** A candidate's report as `--json` prints it. */
export type Graded = Readonly<Record<string, Report>>;

/** A row per case, a column per candidate, and the sums. */
export function gradeTable(graded: Graded): string {
  const names = Object.keys(graded);
  const cell = (name: string, id: string) => {
    const verdict = graded[name]?.verdicts.find((each) => each.id === id);
    return verdict === undefined ? '–' : verdict.passed ? 'pass' : '**fail**';
  };
  const sums = names.map((name) => {
    const verdicts = graded[name]?.verdicts ?? [];
    return `${verdicts.filter(({ passed }) => passed).length} of ${verdicts.length}`;
  });
  return [
    ['Case', 'Grade', ...names.map((name) => `\`${name}\``)],
    ['---', '---', ...names.map(() => '---')],
    ...CASES.map(({ id, grade }) => [`\`${id}\``, grade, ...names.map((name) => cell(name, id))]),
    ['**all**', '', ...sums],
  ]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/** The page with another table between its marks. @throws Error when the marks are missing */
export function withGrades(page: string, graded: Graded): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/conformance.md lacks ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${gradeTable(graded)}\n\n${END}${after}`;
}

/** Plays every case against every candidate, one candidate after the other, and writes the page. */
async function gradeAll(): Promise<number> {
  const graded: Record<string, Report> = {};
  for (const [name, candidate] of Object.entries(CANDIDATES)) {
    const worker = commandOf(candidate);
    if ('missing' in worker) {
      console.error(`${name}: ${worker.missing}; the page stays as it is`);
      return 2;
    }
    const report = await runSuite({ worker, parallel: 5, patience: 1 });
    graded[name] = report;
    for (const line of table(report)) if (/FAILED|conform/.test(line)) console.log(name, line);
  }
  writeFileSync(GRADES_PAGE, withGrades(readFileSync(GRADES_PAGE, 'utf8'), graded));
  return Object.values(graded).every(({ conforms }) => conforms) ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await gradeAll();
