import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../src/index.js';

/** The first code block of a language in a page of the repository. @throws Error when there is none */
export function codeBlock(page: string, language: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  for (const [, of, block = ''] of text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (of === language) return block;
  }
  throw new Error(`${page} has no block of ${language}`);
}
