import type { BulkItem, Queue } from '@echomq/sdk';
import type { AddedJob, PlannedJob } from './plan.js';

/** Jobs of one call: below the contract's 1,000 jobs and 1 MiB. */
const BATCH = 500;

/** What the producer hears and tells between two batches. */
export interface Pace {
  /** Resolves when the next batch may be added. */
  readonly mayAdd: () => Promise<void>;
  /** Is told each batch that has been added. */
  readonly onBatch: (added: readonly AddedJob[]) => void;
}

/** Adds the jobs through the SDK, in batches that are each added whole or not at all. */
export async function enqueue(
  queue: Queue<object>,
  jobs: readonly PlannedJob[],
  { mayAdd, onBatch }: Pace,
): Promise<void> {
  for (let from = 0; from < jobs.length; from += BATCH) {
    await mayAdd();
    const batch = jobs.slice(from, from + BATCH);
    const answers = await queue.addBulk(batch.map(itemOf));
    onBatch(batch.map((job, i) => ({ ...job, id: answers[i]?.id ?? '' })));
  }
}

function itemOf(job: PlannedJob): BulkItem<object> {
  const { name, data, attempts, backoffMs, delayMs, priority } = job;
  return {
    name,
    data,
    opts: {
      ...(attempts === undefined ? {} : { attempts }),
      ...(backoffMs === undefined ? {} : { backoff: { type: 'exponential', delay: backoffMs } }),
      ...(delayMs === undefined ? {} : { delay: delayMs }),
      ...(priority === undefined ? {} : { priority }),
    },
  };
}
