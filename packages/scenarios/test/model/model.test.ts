import { describe, expect, it } from 'vitest';
import { drive } from '../../src/model/drive.js';
import { whole } from '../../src/model/kept.js';
import { KEPT } from './kept-cases.js';
import { search, useModel } from './use-model.js';

const used = useModel();

describe('what the model once found', () => {
  it.each(KEPT)('$name', async ({ world = {}, plans }) => {
    expect(await drive(used.store, world, plans.map(whole))).toBeGreaterThan(0);
  });
});

it('random commands of several clients, with crashes and lost replies, leave what the model says', async () => {
  const count = await search(used.store, { seed: 5, transitions: 8_000, limitMs: 8_000 });
  expect(count).toBeGreaterThan(100);
}, 120_000);
