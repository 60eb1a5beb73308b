import { addBatch as script } from '@echomq/lua';
import { EchoMQError } from '../errors.js';
import type { QueueKeys } from '../keys.js';
import { type AddOutcome, acceptedAdd, type NewJob } from '../new-job.js';
import { rows } from '../outcomes.js';
import type { RedisReply } from '../redis-client.js';
import type { Store } from '../store.js';
import { translateStoreError } from '../store-errors.js';

/**
 * Adds jobs of any kind in one script, each by itself, as `addJob` one after the other would. One that is refused or fails
 * is answered with its error and harms no other. Holds Redis about 10 µs a job.
 *
 * @returns what became of each, in the order given.
 * @param now ms since the epoch; '' (production) asks Redis.
 * @throws StoreUnavailable, ContractBroken for all of them.
 */
export async function addBatch(
  store: Store,
  queue: QueueKeys,
  jobs: readonly NewJob[],
  now: number | '' = '',
): Promise<(AddOutcome | EchoMQError)[]> {
  const items = jobs.map(({ parent, ...job }) =>
    parent ? { ...job, parentKey: parent.key, parent: parent.json } : job,
  );
  const args = { prefix: queue.base, timestamp: now, jobs: items };
  const answers = rows(script, await store.run(script, queue, args));
  return answers.map((answer) => readAnswer(answer, queue));
}

function readAnswer(answer: RedisReply, queue: QueueKeys): AddOutcome | EchoMQError {
  if (typeof answer !== 'number' && !Array.isArray(answer)) {
    return translateStoreError(new Error(String(answer)), script.file);
  }
  try {
    return acceptedAdd(script, answer, queue);
  } catch (error) {
    if (error instanceof EchoMQError) return error;
    throw error;
  }
}
