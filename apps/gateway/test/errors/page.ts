import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const PAGE = new URL('../../../../docs/errors-by-rpc.md', import.meta.url);

/**
 * Holds a table against the section of docs/errors-by-rpc.md that has it, or writes it there where `ECHOMQ_WRITE_DOCS`
 * is set.
 */
export function expectOnPage(section: string, table: string): void {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${section} -->\n`, `<!-- /${section} -->`];
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  const content = `\n${table}\n`;
  if (process.env.ECHOMQ_WRITE_DOCS) {
    writeFileSync(PAGE, text.slice(0, from) + content + text.slice(to));
    return;
  }
  expect(text.slice(from, to)).toBe(content);
}

/** A table of Markdown. */
export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line), ''].join('\n');
}
