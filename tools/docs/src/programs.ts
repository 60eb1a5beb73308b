import type { Block } from './blocks.js';
import { useOf } from './uses.js';

/** Blocks that make one program, and what the page says that it prints. */
export interface Program {
  readonly page: string;
  /** Of its first block. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Absent where the page does not say. */
  readonly output?: string;
  /** Numbers and texts of the output are others each time. */
  readonly varies?: boolean;
}

/** Languages whose blocks are programs. */
const LANGUAGES = new Set(['ts', 'sh', 'python']);

/**
 * The programs of one page, in their order. One begins where the language changes or a block imports something; blocks
 * below it that import nothing go on with it. A block of commands is one by itself.
 */
export function programsOf(blocks: readonly Block[]): readonly Program[] {
  const programs: Program[] = [];
  for (const block of blocks) {
    const use = useOf(block).kind;
    const last = programs.at(-1);
    if (use === 'output') {
      if (last === undefined) throw new Error(`${block.page}:${block.line}: the output of nothing`);
      const varies = block.marker?.endsWith('other values') === true;
      const output = (last.output ?? '') + block.text;
      programs[programs.length - 1] = { ...last, output, ...(varies ? { varies } : {}) };
    } else if (use === 'run' && LANGUAGES.has(block.language)) {
      const { page, line, language, text } = block;
      if (last === undefined || begins(block, last)) programs.push({ page, line, language, text });
      else programs[programs.length - 1] = { ...last, text: `${last.text}\n${text}` };
    }
  }
  return programs;
}

function begins({ language, text }: Block, last: Program): boolean {
  if (language !== last.language) return true;
  return language === 'sh' || /^(import|from) /m.test(text);
}
