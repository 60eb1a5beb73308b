import { expect, test } from 'vitest';
import { jobName } from '../../src/validation/job-name.js';

test('a name that has passed passes again, one that has not never does', () => {
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 300; i++) expect(jobName(`name ${i}`, 'name')).toBe(`name ${i}`);
    for (const bad of ['', 'a'.repeat(513), '\ud800', 7 as unknown as string]) {
      expect(() => jobName(bad, 'items[3].name')).toThrow(/items\[3\]\.name/);
    }
  }
});
