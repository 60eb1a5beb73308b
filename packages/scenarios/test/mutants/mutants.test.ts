import { freshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../src/mutants/mutants.js';
import { mutatedClient } from '../../src/mutants/mutated-client.js';
import { useModel } from '../model/use-model.js';
import { killByModel, witnessesOf } from './kill.js';

const used = useModel();
const named = (name: string) => {
  const found = MUTANTS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no mutant '${name}'`);
  return found;
};
const read = (name: string) => freshQueue(used.admin, { name }).readAtOnce();

it('every mutant can be planted', async () => {
  for (const mutant of MUTANTS) {
    expect((await mutatedClient(used.client, mutant)).scripts).toBeGreaterThan(0);
  }
}, 120_000);

it('the checkers of histories and books find nothing in the store as it is', async () => {
  expect(await witnessesOf(used.client, undefined, read, 10)).toEqual([]);
}, 120_000);

describe('some mutants, the others in the soak', () => {
  it.each(['any token', 'double push', 'no wake at add', 'parent not released'])(
    'the model kills: %s',
    async (name) => expect(await killByModel(used.client, named(name))).toBeDefined(),
    120_000,
  );

  it.each([
    ['double push', 'books'],
    ['any token', 'history'],
    ['sweep takes all', 'books'],
    ['sweep loses', 'books'],
  ])(
    'without a model, %s is found by the %s',
    async (name, checker) => {
      const found = await witnessesOf(used.client, named(name), read);
      expect(found.join('\n')).toContain(checker);
    },
    120_000,
  );
});
