import { fileURLToPath } from 'node:url';
import { spawnNode, useRedis, useStarted } from '@echomq/testkit';
import { it } from 'vitest';
import { race } from './race/race.js';

const main = fileURLToPath(new URL('../../../apps/gateway/build/main.js', import.meta.url));
const redis = useRedis();
const gateway = useStarted(() =>
  spawnNode(main, {
    args: [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0', '--max-stalled-count=1000'],
    ready: /listening on/,
  }),
);

it(
  'T001 sweep vs activation: eight workers, two of them killed, a sweep every few ms, scripts flushed: each job ends once',
  {
    timeout: 240_000,
  },
  () => race({ redis, gateway: gateway.value, jobs: 10_000, workers: 6, limitMs: 220_000 }),
);
