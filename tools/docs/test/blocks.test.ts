import { describe, expect, it } from 'vitest';
import { allBlocks, blocksOf, programsOf, useOf } from '../src/index.js';

const page = (...lines: string[]) => blocksOf('docs/page.md', `${lines.join('\n')}\n`);

describe('the code blocks of all pages', () => {
  const blocks = allBlocks();

  it('are found', () => {
    expect(blocks.length).toBeGreaterThan(80);
    expect(new Set(blocks.map((block) => block.page)).size).toBeGreaterThan(20);
  });

  it('have each somebody who answers for them', () => {
    const problems = blocks.flatMap((block) => {
      const use = useOf(block);
      return use.kind === 'nothing' ? [`${block.page}:${block.line}: ${use.problem}`] : [];
    });
    expect(problems).toEqual([]);
  });

  it('are shown only where they are no code or cannot end', () => {
    const shown = blocks.filter((block) => useOf(block).kind === 'shown');
    expect(shown.length / blocks.length).toBeLessThan(0.15);
  });
});

describe('a block', () => {
  it('that is new and bare is refused', () => {
    const [block] = page('text', '```', 'ls', '```');
    expect(block && useOf(block)).toEqual({
      kind: 'nothing',
      problem: 'no rule for "": mark it with what tests it',
    });
  });

  it('whose marker names a test that is not there, or speaks of other pages, is refused', () => {
    const uses = ['gone.test.ts', 'tools/docs/src/blocks.ts'].map((test) => {
      const [block] = page(`<!-- code: tested by ${test} -->`, '```', 'ls', '```');
      return block && useOf(block);
    });
    expect(uses).toEqual([
      { kind: 'nothing', problem: 'there is no gone.test.ts' },
      { kind: 'nothing', problem: 'tools/docs/src/blocks.ts does not speak of page.md' },
    ]);
  });

  it('that is shown only says why', () => {
    const [block] = page('<!-- code: shown only, so -->', '```', 'ls', '```');
    expect(block && useOf(block)).toMatchObject({ kind: 'nothing' });
  });

  it('must have an end, and a marker a block', () => {
    expect(() => page('```ts', 'x')).toThrow('docs/page.md:1: a block without an end');
    expect(() => page('<!-- code: output -->', 'text')).toThrow('a marker without a block');
  });
});

it('programs go on until something is imported or the language changes', () => {
  const blocks = page(
    ...['```ts', "import 'a';", '```', '```ts', 'b();', '```', '<!-- code: output -->'],
    ...['```', 'said', '```', '```ts', "import 'c';", '```', '```sh', 'd', '```'],
  );
  expect(programsOf(blocks)).toEqual([
    {
      page: 'docs/page.md',
      line: 1,
      language: 'ts',
      text: "import 'a';\n\nb();\n",
      output: 'said\n',
    },
    { page: 'docs/page.md', line: 11, language: 'ts', text: "import 'c';\n" },
    { page: 'docs/page.md', line: 14, language: 'sh', text: 'd\n' },
  ]);
});
