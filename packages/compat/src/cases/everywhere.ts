import {
  NOW,
  type OracleCase,
  type QueueNames,
  type SeedStates,
  type TransitionCases,
} from '../oracle/oracle-case.js';
import { META, stored } from './jobs.js';

/** A queue with jobs in every location, and a parent `k` with children of every kind. */
export function everywhere({ main }: QueueNames): SeedStates {
  const ids = ['w1', 'w2', 'a', 'p1', 'p5', 'p5b', 'd', 'c1', 'c2', 'f', 'k', 'nowhere'];
  return {
    main: {
      meta: META,
      wait: ['w2', 'w1'],
      active: ['a'],
      prioritized: { p1: 2 ** 32 + 1, p5: 5 * 2 ** 32 + 2, p5b: 5 * 2 ** 32 + 3 },
      delayed: { d: (NOW + 5) * 4096 },
      completed: { c1: 5, c2: 6 },
      failed: { f: 7 },
      'waiting-children': { k: 5 },
      'k:dependencies': [`${main}:x`, `${main}:y`],
      'k:processed': { [`${main}:z`]: '1' },
      'k:failed': { [`${main}:i`]: 'r' },
      'k:unsuccessful': { [`${main}:u`]: 5 },
      jobs: Object.fromEntries(ids.map((id) => [id, stored()])),
    },
  };
}

/** The cases of a query, on that queue unless they have a seed of their own. */
export function query(
  name: string,
  cases: readonly (Omit<OracleCase, 'seed'> & Pick<Partial<OracleCase>, 'seed'>)[],
): TransitionCases {
  return {
    transition: name,
    cases: cases.map((testCase) => ({ seed: everywhere, ...testCase })),
  };
}
