import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block } from './blocks.js';
import { ROOT } from './pages.js';

/** What the tests of this package do with a block. */
export type Use =
  /** It is run (or parsed, where it is data), by its language. */
  | { readonly kind: 'run' }
  /** It is what the program above it prints. */
  | { readonly kind: 'output' }
  /** It is read as settings of the gateway, or as its access file. */
  | { readonly kind: 'settings' | 'access' }
  /** A test elsewhere runs or compares it. */
  | { readonly kind: 'elsewhere'; readonly tests: readonly string[] }
  /** It is no code, or cannot be run by a test; the reason says why. */
  | { readonly kind: 'shown'; readonly reason: string }
  /** Nobody answers for it. */
  | { readonly kind: 'nothing'; readonly problem: string };

/** Languages whose blocks are run or parsed without a word. */
const RUNS = new Set(['ts', 'sh', 'python', 'json', 'mermaid']);

/** Plays sessions of a shell and compares them with their page. */
const TRANSCRIPT = 'tools/transcript/test/transcript.test.ts';

/** Who answers for a block, by its marker, else by its language. */
export function useOf(block: Block): Use {
  const { marker, language } = block;
  if (marker === undefined) {
    if (RUNS.has(language)) return { kind: 'run' };
    if (language === 'console') return elsewhere([TRANSCRIPT], block);
    return { kind: 'nothing', problem: `no rule for "${language}": mark it with what tests it` };
  }
  if (marker === 'output' || marker === 'output, other values') return { kind: 'output' };
  if (marker === 'settings' || marker === 'access') return { kind: marker };
  const tested = /^tested by (.+)$/.exec(marker)?.[1];
  if (tested !== undefined) return elsewhere(tested.split(', '), block);
  const shown = /^shown only, (.+)$/.exec(marker)?.[1];
  if (shown !== undefined && shown.length >= 10) return { kind: 'shown', reason: shown };
  return { kind: 'nothing', problem: `nobody knows the marker "${marker}"` };
}

/** The tests that a marker names must be there and speak of the page. */
function elsewhere(tests: readonly string[], { page }: Block): Use {
  for (const test of tests) {
    const path = join(ROOT, test);
    if (!existsSync(path)) return { kind: 'nothing', problem: `there is no ${test}` };
    const name = page.slice(page.lastIndexOf('/') + 1);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(name) && !(name === 'README.md' && /readme/i.test(text))) {
      return { kind: 'nothing', problem: `${test} does not speak of ${name}` };
    }
  }
  return { kind: 'elsewhere', tests };
}
