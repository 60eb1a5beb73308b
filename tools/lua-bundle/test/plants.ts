import { expect, test } from 'vitest';
import { edited, problemsOf } from './fixture.js';

/** A planted violation: where, what is replaced by what, and all that the bundler must say. */
export type Plant = readonly [rule: string, path: string, from: string, to: string, says: string[]];

/** One test per plant: the bundler says exactly this, nothing more. */
export function refuses(plants: readonly Plant[]): void {
  for (const [rule, path, from, to, says] of plants) {
    test(rule, () => expect(problemsOf(edited(path, from, to))).toEqual(says));
  }
}
