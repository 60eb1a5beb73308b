import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A test that stands for scenarios. */
export interface ScenarioTest {
  /** Of the scenarios that its name begins with. */
  readonly ids: readonly string[];
  /** Path from the root of the repository. */
  readonly file: string;
  /** Planned and not there yet: `it.todo`. */
  readonly todo: boolean;
  /** Its name as it stands in the source. */
  readonly name: string;
}

/** Where tests are. */
const FOLDERS = ['packages', 'apps', 'tools'];
const SKIPPED = new Set(['node_modules', 'build', 'dist', 'gen', 'fixtures']);
/** A soak file runs a quick one with other numbers. */
const IMPORTED = /^import '\.\/([\w-]+)\.test\.js';$/m;
/** `it('T001 kind: …`, `it.todo('T001, T002 kind: …`, `it.each([…])('T001 kind: …`. */
const NAMED = /(\.todo)?\(\s*(['"`])(T\d{3}(?:(?:, | and )T\d{3})*)( [^:\n]+: .*)/g;

/** All tests of the repository whose names begin with a scenario's id, by file. */
export function findTests(root: string): ScenarioTest[] {
  return FOLDERS.flatMap((folder) => testFiles(root, folder))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const imported = IMPORTED.exec(text)?.[1];
      if (imported === undefined) return testsIn(text, file);
      const quick = join(dirname(file), `${imported}.test.ts`);
      return testsIn(readFileSync(join(root, quick), 'utf8'), file);
    });
}

/** The same of one file's text. */
export function testsIn(text: string, file: string): ScenarioTest[] {
  return [...text.matchAll(NAMED)].map(([, todo, quote = "'", ids = '', rest = '']) => ({
    ids: ids.match(/T\d{3}/g) ?? [],
    file,
    todo: todo !== undefined,
    name: `${ids}${rest.split(quote)[0]}`,
  }));
}

function testFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : testFiles(root, path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}
