import { test } from 'vitest';
import { useEngine } from '../use-engine.js';
import { compareWithRules } from './gateways.js';

const used = useEngine();

/** What once differed, by the seed that found it. */
test.each([{ seed: -924951558, path: '5' }])(
  'two gateways, one worker, lost replies: all goes by the rules, in the sequence of $seed',
  { timeout: 120_000 },
  (found) => compareWithRules(used, 1, found),
);

test(
  'two gateways, one worker, lost replies: all goes by the rules, in a few sequences',
  {
    timeout: 120_000,
  },
  () => compareWithRules(used, 4, { seed: 2 }),
);
