import { test } from 'vitest';
import { useEngine } from '../use-engine.js';
import { compareWithRules } from './gateways.js';

const used = useEngine();

test('two gateways, one worker, lost replies: all goes by the rules', { timeout: 120_000 }, () =>
  compareWithRules(used, 10),
);
