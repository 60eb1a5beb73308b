import { type RedisClient, Store } from '@echomq/core';
import type { QueueDump } from '@echomq/testkit';
import fc from 'fast-check';
import { Difference, drive, loadScripts } from '../../src/model/drive.js';
import { whole } from '../../src/model/kept.js';
import type { Plan, WorldPlan } from '../../src/model/plan.js';
import type { Mutant } from '../../src/mutants/mutants.js';
import { mutatedClient } from '../../src/mutants/mutated-client.js';
import { PLAIN_OPS, witness } from '../../src/mutants/witness.js';
import { commands, worlds } from '../model/draw.js';
import { KEPT } from '../model/kept-cases.js';

/** Sequences that a mutant may survive at most. */
const SEQUENCES = 1_500;
const LENGTH = 80;

/** Sequences in which the checkers that know of no model look for it. */
const WITNESSED = 60;

/** Who noticed a mutant: the model's check with the transitions it took, the checkers that know of no model. */
export interface Kill {
  readonly model: string | undefined;
  readonly witnesses: readonly string[];
}

/** Drives a mutant against the model until it differs. @returns the check, or nothing for a survivor */
export async function killByModel(
  client: RedisClient,
  mutant: Mutant,
  sequences = SEQUENCES,
): Promise<string | undefined> {
  const store = new Store((await mutatedClient(client, mutant)).client);
  // What a mutant before it has left behind is not what this one runs.
  await loadScripts(store);
  let killed: string | undefined;
  const kills = async (world: WorldPlan, plans: readonly Plan[]) => {
    try {
      await drive(store, world, plans);
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      killed = `${error.check}, at ${error.plan.op}`;
    }
    return killed !== undefined;
  };
  for (const { world = {}, plans } of KEPT) {
    if (await kills(world, plans.map(whole))) return killed;
  }
  const sequence = fc.asyncProperty(worlds, commands(LENGTH), async (world, plans) => {
    return !(await kills(world, plans));
  });
  await fc.check(sequence, { seed: 1, numRuns: sequences, endOnFailure: true });
  return killed;
}

/** Which of the checkers of histories and books notice a mutant, without the model. */
export async function witnessesOf(
  client: RedisClient,
  mutant: Mutant | undefined,
  read: (name: string) => Promise<QueueDump>,
  sequences = WITNESSED,
): Promise<readonly string[]> {
  const store = new Store(mutant ? (await mutatedClient(client, mutant)).client : client);
  await loadScripts(store);
  const found = new Set<string>();
  const drawn = fc.sample(commands(LENGTH), { seed: 1, numRuns: sequences });
  for (const plans of drawn) {
    const plain = plans.filter(({ op }: Plan) => PLAIN_OPS.has(op));
    const seen = await witness(store, plain, read).catch((error: unknown) => {
      if (mutant === undefined) throw error;
      return { history: [], books: [] };
    });
    for (const one of seen.history) found.add(`history: ${kindOf(one)}`);
    for (const one of seen.books) found.add(`books: ${kindOf(one)}`);
    const both = [...found].map((one) => one.slice(0, 4));
    if (both.includes('hist') && both.includes('book')) break;
  }
  return [...found];
}

/** A problem without the ids in it. */
const kindOf = (problem: string): string =>
  problem
    .replace(/^(repeat:\S+|\d+|[abc]|f?r\d+):? /, 'a job ')
    .replaceAll(/\bt\d+\b/g, 'a run')
    .replaceAll(/(a run, )+a run/g, 'runs')
    .replace(/^run a run/, 'a run');
