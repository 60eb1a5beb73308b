import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freshQueue } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../src/mutants/mutants.js';
import { useModel } from '../model/use-model.js';
import { killByModel, witnessesOf } from './kill.js';

const PAGE = fileURLToPath(new URL('../../../../docs/mutants.md', import.meta.url));
const used = useModel();
const rows = new Map<string, string>();

it.each(MUTANTS)('$name: $what', { timeout: 900_000 }, async (mutant) => {
  const model = await killByModel(used.client, mutant);
  const others = await witnessesOf(used.client, mutant, (name) =>
    freshQueue(used.admin, { name }).readAtOnce(),
  );
  rows.set(mutant.name, `| ${mutant.name} | ${mutant.what} | ${model} | ${others.join('; ')} |`);
  process.stdout.write(`${rows.get(mutant.name)}\n`);
  expect(model).toBeDefined();
});

it('docs/mutants.md has a row for each', () => {
  if (process.env.ECHOMQ_DOCUMENT && rows.size === MUTANTS.length)
    writeFileSync(PAGE, page([...rows.values()]));
  const stands = readFileSync(PAGE, 'utf8');
  for (const { name } of MUTANTS) expect(stands).toContain(`| ${name} |`);
});

function page(lines: readonly string[]): string {
  return `# Mutants

Faults that are planted in the scripts, one at a time, to show that the checks notice them. **The model** is the first
check of packages/scenarios/src/model that differs when random commands are driven against the model, and the command
after which it did. **Without a model**: what the checkers of histories and of books say of the answers and the store
alone, in queues without flows, deduplication and bounds. Where it is empty they have nothing to go by.

Written by \`ECHOMQ_DOCUMENT=1 pnpm soak mutants\`. A mutant that survives, or whose text stands in no script, is red.

| Mutant | What goes wrong | The model | Without a model |
| --- | --- | --- | --- |
${lines.join('\n')}
`;
}
