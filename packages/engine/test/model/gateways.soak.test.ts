import { test } from 'vitest';
import { useEngine } from '../use-engine.js';
import { compareWithRules } from './gateways.js';

const used = useEngine();

test(
  'two gateways, one worker, lost replies: all goes by the rules, in 500 sequences',
  {
    timeout: 1_800_000,
  },
  () => compareWithRules(used, 500),
);
