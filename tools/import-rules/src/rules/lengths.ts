import type { House } from '../house.js';
import type { Problem } from '../problems.js';
import { isGenerated } from '../source-files.js';
import { LONG_FILES } from '../table.js';

const MOST_LINES = 300;

/** A file over 300 lines is two things, unless a reason is written down; a reason for a short file is stale. */
export function checkLengths({ tree }: House): readonly Problem[] {
  const problems: Problem[] = [];
  const long = new Set<string>();
  for (const { path, text } of tree.files) {
    if (isGenerated(path) || path.startsWith('proto/google/')) continue;
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    if (lines <= MOST_LINES) continue;
    long.add(path);
    if (!(path in LONG_FILES)) {
      problems.push({
        path,
        line: MOST_LINES + 1,
        message: `${lines} lines: ${MOST_LINES} at most`,
      });
    }
  }
  for (const path of Object.keys(LONG_FILES)) {
    const there = tree.files.some((file) => file.path === path);
    if (there && !long.has(path)) {
      problems.push({ path, line: 1, message: 'is on the list of long files and is not long' });
    }
  }
  return problems;
}
