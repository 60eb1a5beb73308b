import { expect, it } from 'vitest';
import { search, useModel } from './use-model.js';

/** Of both files: CI runs them beside each other, on a server each. */
const TRANSITIONS = process.env.ECHOMQ_SOAK === 'long' ? 1_000_000 : 200_000;

/** So often a long run says how far it is. */
const STEP = 50_000;

/** Compares half of the transitions with the model, and says how many and how long. @param half 0 or 1 */
export function soakModel(name: string, half: 0 | 1): void {
  const used = useModel();
  const wanted = TRANSITIONS / 2;
  it(`${wanted} transitions leave what the model says: ${name}`, {
    timeout: 7_200_000,
  }, async () => {
    const first = Number(process.env.ECHOMQ_SEED ?? Math.floor(Math.random() * 1_000_000_000));
    // Each round of a search has a seed of its own, the next number: far from the other half's.
    const seed = first + half * 100_000_000;
    const began = performance.now();
    const secondsSoFar = () => Math.round((performance.now() - began) / 1_000);
    let next = STEP;
    const soFar = (count: number) => {
      if (count < next) return;
      next += STEP;
      process.stdout.write(`model: ${count} so far, in ${secondsSoFar()} s, seed ${seed}\n`);
    };
    const count = await search(used.store, { seed, transitions: wanted, soFar });
    const seconds = secondsSoFar();
    process.stdout.write(
      `model: ${count} transitions in ${seconds} s, seed ${seed}, no difference\n`,
    );
    expect(count).toBeGreaterThanOrEqual(wanted);
  });
}
