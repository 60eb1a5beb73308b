import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPages, ROOT, readPage } from '../src/index.js';

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the links of', () => {
  it.each(listPages())('%s lead somewhere', (page) => {
    const text = readPage(page)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .replaceAll(/`[^`]*`/g, '');
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^\w+:/.test(link)) return [];
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return [link];
      if (anchor === undefined || !target.endsWith('.md')) return [];
      return anchorsOf(target).has(anchor) ? [] : [link];
    });
    expect(broken).toEqual([]);
  });
});
