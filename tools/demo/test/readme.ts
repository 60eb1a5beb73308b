import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../src/root.js';

/** The text of the root's README. */
export const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/**
 * The one code block of this language that has this text in it.
 *
 * @throws Error when there is none, or more than one
 */
export function readmeBlock(language: string, has: string): string {
  const blocks = [...README.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, of = '', text = '']) => of === language && text.includes(has))
    .map(([, , text = '']) => text);
  if (blocks.length === 1 && blocks[0] !== undefined) return blocks[0];
  throw new Error(`the README has ${blocks.length} blocks of ${language} with ${has}`);
}
