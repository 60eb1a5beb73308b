import { useRedis } from '@echomq/testkit';
import { it } from 'vitest';
import { rollingRestart } from './rolling/rolling-restart.js';

const redis = useRedis();

it('two gateways restarted ten times each under load lose nothing and double nothing', {
  timeout: 900_000,
}, async () => {
  const size = { rate: 100, longEach: 25, workers: 8, rounds: 10 };
  console.log(await rollingRestart(redis, size));
});
