import { useRedis } from '@echomq/testkit';
import { it } from 'vitest';
import { rollingRestart } from './rolling/rolling-restart.js';

const redis = useRedis();

it(
  'two gateways restarted one after the other under load lose nothing and double nothing',
  {
    timeout: 120_000,
  },
  () => rollingRestart(redis, { rate: 20, longEach: 10, workers: 4, rounds: 1 }),
);
