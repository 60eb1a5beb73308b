import { expect, it } from 'vitest';
import { search, useModel } from './use-model.js';

const used = useModel();
const TRANSITIONS = process.env.ECHOMQ_SOAK === 'long' ? 1_000_000 : 200_000;

it(`${TRANSITIONS} transitions leave what the model says`, { timeout: 7_200_000 }, async () => {
  const seed = Number(process.env.ECHOMQ_SEED ?? Math.floor(Math.random() * 1_000_000_000));
  const began = performance.now();
  const count = await search(used.store, { seed, transitions: TRANSITIONS });
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(`model: ${count} transitions in ${seconds} s, seed ${seed}, no difference
`);
  expect(count).toBeGreaterThanOrEqual(TRANSITIONS);
});
