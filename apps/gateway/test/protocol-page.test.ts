import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = new URL('../../../docs/protocol.md', import.meta.url);
const text = readFileSync(PAGE, 'utf8');
const [, pitfalls = ''] = /<!-- pitfalls -->([\s\S]*?)<!-- \/pitfalls -->/.exec(text) ?? [];

describe('docs/protocol.md', () => {
  it('has the twelve pitfalls, each with a test and an outcome', () => {
    const rows = pitfalls.split('\n').filter((line) => /^\| \d/.test(line));
    expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 1),
    );
    for (const row of rows) {
      const [, , pitfall = '', test = '', outcome = ''] = row.split('|');
      expect([pitfall.trim(), outcome.trim()]).not.toContain('');
      expect(test).toMatch(/\]\(\.\.\/.+\.test\.ts\)/);
    }
  });

  it('names files that are there', () => {
    const links = [...text.matchAll(/\]\((\.\.?\/[^)#]+|[\w-]+\.md)/g)].map(
      ([, path = '']) => path,
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((path) => !existsSync(new URL(path, PAGE)))).toEqual([]);
  });

  it('names pitfalls by the tests that have them', () => {
    const own = [
      ...pitfalls.matchAll(/^\| (\d+) .*?(\.\.\/apps\/gateway\/test\/pitfalls\/[^)]+)/gm),
    ];
    for (const [, number, path = ''] of own) {
      expect(readFileSync(new URL(path, PAGE), 'utf8')).toContain(`pitfall ${number}:`);
    }
    expect(own.length).toBeGreaterThan(7);
  });
});
