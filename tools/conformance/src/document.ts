import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases/index.js';

/** The page that has the table of the cases. */
export const PAGE = new URL('../../../docs/protocol.md', import.meta.url);

const BEGIN = '<!-- cases: written by `pnpm --filter @echomq/conformance document` -->';
const END = '<!-- /cases -->';

/** A row per case: its id, its grade, and what the protocol asks for. */
export function caseTable(): string {
  const rows = CASES.map(({ id, grade, rule }) => `| \`${id}\` | ${grade} | ${rule} |`);
  return ['| Case | Grade | What is asked for |', '| --- | --- | --- |', ...rows].join('\n');
}

/** A page with the table as it is now, between its two marks. @throws Error when the marks are missing */
export function withCaseTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/protocol.md lacks ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${caseTable()}\n\n${END}${after}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, withCaseTable(readFileSync(PAGE, 'utf8')));
}
