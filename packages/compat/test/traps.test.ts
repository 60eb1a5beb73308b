import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}/docs/compatibility.md`, 'utf8');
const from = page.indexOf('\n## Traps of the layout\n');
const rows = page
  .slice(from, page.indexOf('\n## ', from + 1))
  .split('\n')
  .filter(
    (line) => line.startsWith('| ') && !line.startsWith('| Trap') && !line.startsWith('| ---'),
  )
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, trap = '', theirs = '', ours = '', test = '']) => ({ trap, theirs, ours, test }));

describe('the traps in docs/compatibility.md', () => {
  it('are all there, each with what both sides do', () => {
    expect(rows.length).toBeGreaterThan(30);
    for (const { theirs, ours } of rows) expect([theirs, ours]).not.toContain('');
  });

  it.each(rows)('$trap: the test that is named is there', ({ test }) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
    expect(existsSync(`${root}/${file}`)).toBe(true);
    expect(title).not.toBe('');
    expect(readFileSync(`${root}/${file}`, 'utf8')).toContain(title);
  });
});
