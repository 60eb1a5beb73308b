import fc from 'fast-check';
import type { UsedEngine } from '../use-engine.js';
import { drive, STEPS } from './drive.js';
import { RealGateways } from './real-gateways.js';
import { World } from './world.js';

/** A sequence that failed, as fast-check names it: `ECHOMQ_MODEL_SEED=-9249 ECHOMQ_MODEL_PATH=5`. */
const { ECHOMQ_MODEL_SEED: SEED, ECHOMQ_MODEL_PATH: PATH } = process.env;
const again = SEED === undefined ? {} : { seed: Number(SEED), ...(PATH && { path: PATH }) };

/** So many random sequences, over real engines and a real store, compared with the rules at each step. */
export async function compareWithRules(
  used: UsedEngine,
  numRuns: number,
  fixed: { readonly seed?: number; readonly path?: string } = {},
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      await using real = await RealGateways.start(used);
      await drive(steps, new World(), real);
    }),
    // A sequence takes a second: the shrunken one is not worth minutes of a failing run.
    { numRuns, endOnFailure: true, ...fixed, ...again },
  );
}
