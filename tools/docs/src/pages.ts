import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Block, blocksOf } from './blocks.js';

/** The root of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const SKIPPED = new Set(['node_modules', 'build', 'coverage', 'target']);

/** Every page of the repository, from its root; what tools keep in folders with a dot is none. */
export function listPages(folder = ''): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) return entry.name.endsWith('.md') ? [path] : [];
      if (!entry.isDirectory() || entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
      return listPages(path);
    })
    .sort();
}

/** The text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The blocks of every page. */
export function allBlocks(): readonly Block[] {
  return listPages().flatMap((page) => blocksOf(page, readPage(page)));
}
