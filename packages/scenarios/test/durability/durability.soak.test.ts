import { expect, it } from 'vitest';
import { killTheStore, type Losses, row, type Setting } from './kill-the-store.js';

const KILLS = process.env.ECHOMQ_SOAK === 'long' ? 10 : 3;
const MOST_LOST: Readonly<Record<Setting, number>> = {
  ...{ always: 0, everysec: 1_000, no: 60_000, snapshots: 600_000 },
  none: Number.POSITIVE_INFINITY,
};

it.each(Object.keys(MOST_LOST) as Setting[])(
  '%s: kill -9 under load',
  { timeout: 600_000 },
  async (setting) => {
    const kills: Losses[] = [];
    for (let turn = 0; turn < KILLS; turn++)
      kills.push(await killTheStore(setting, 3_000 + 700 * turn));
    process.stdout.write(`${row(setting, kills)}\n`);
    for (const kill of kills) {
      expect(kill.acknowledged).toBeGreaterThan(0);
      expect(kill.lostMs).toBeLessThanOrEqual(MOST_LOST[setting]);
      if (setting === 'always') expect(kill.found).toBe(kill.acknowledged);
      if (setting === 'none') expect(kill.found).toBe(0);
    }
  },
);
