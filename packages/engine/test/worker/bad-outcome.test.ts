import { expect, test } from 'vitest';
import { applyOutcome, type Ending } from '../../src/services/worker/apply-outcome.js';
import type { WorkerDeps } from '../../src/services/worker/worker-deps.js';

test('an outcome that cannot be applied rejects, it does not throw', async () => {
  const item = { outcome: undefined, progress: Buffer.alloc(0), logs: [] };
  const ending = { item, jobId: '1', token: 't', path: '' } as unknown as Ending;
  const applied = applyOutcome(ending, {} as WorkerDeps);
  await expect(applied).rejects.toMatchObject({ reason: 'INVALID_FIELD' });
});
