import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drive, STEPS } from './drive.js';
import { World } from './world.js';

test('by the rules no job is lost, none is run twice while its lease holds, and receipts are few', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const world = new World();
      await drive(steps, world);
      expect(world.done()).toHaveLength(world.jobs.size);
      for (const jobId of world.jobs.keys()) expect(world.ends.get(jobId)).toBe(1);
    }),
    { numRuns: 1_000 },
  );
});
