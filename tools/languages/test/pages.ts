import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../src/index.js';

/** The code blocks of a language in a page of the repository. */
export function codeBlocks(page: string, language: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  );
}

/** The first of them. @throws Error when there is none */
export function codeBlock(page: string, language: string): string {
  const [first] = codeBlocks(page, language);
  if (first === undefined) throw new Error(`${page} has no block of ${language}`);
  return first;
}
