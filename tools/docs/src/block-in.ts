import type { Block } from './blocks.js';
import { blocksOf } from './blocks.js';
import { readPage } from './pages.js';

/** The one block of a page with this language and this text in it. @throws Error when there is none, or more than one */
export function blockIn(page: string, { language, has }: { language: string; has: string }): Block {
  const found = blocksOf(page, readPage(page)).filter(
    (block) => block.language === language && block.text.includes(has),
  );
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw new Error(`${page} has ${found.length} blocks of ${language} with ${has}`);
}
