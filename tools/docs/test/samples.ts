import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Program, ROOT } from '../src/index.js';

/** Where the packages that samples import are found. */
export const SAMPLES = join(ROOT, 'tools/docs/build/samples');

/** The file of a program of TypeScript. */
export function fileOf({ page, line }: Program): string {
  return join(SAMPLES, `${page.replaceAll(/[/.]/g, '-')}-${line}.ts`);
}

/** Writes programs of TypeScript out and checks their types, all in one go. @throws what the compiler says */
export async function checkTypes(programs: readonly Program[]): Promise<void> {
  rmSync(SAMPLES, { recursive: true, force: true });
  mkdirSync(SAMPLES, { recursive: true });
  for (const program of programs) writeFileSync(fileOf(program), `${program.text}\nexport {};\n`);
  writeFileSync(
    join(SAMPLES, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../../tsconfig.base.json',
      compilerOptions: { noEmit: true, noUnusedLocals: false, isolatedModules: true },
      include: ['.'],
    }),
  );
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', SAMPLES]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
}
