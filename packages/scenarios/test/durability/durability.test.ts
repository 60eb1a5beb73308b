import { expect, it } from 'vitest';
import { killTheStore } from './kill-the-store.js';

it('appendfsync always: what was acknowledged before a kill -9 is there', {
  timeout: 60_000,
}, async () => {
  const kept = await killTheStore('always', 1_000);
  expect(kept.acknowledged).toBeGreaterThan(0);
  expect(kept).toMatchObject({ found: kept.acknowledged, endsFound: kept.ended, lostMs: 0 });
});

it('appendfsync everysec: at most a second of it is lost', { timeout: 60_000 }, async () => {
  const kept = await killTheStore('everysec', 1_500);
  expect(kept.acknowledged).toBeGreaterThan(0);
  expect(kept.lostMs).toBeLessThanOrEqual(1_000);
});
