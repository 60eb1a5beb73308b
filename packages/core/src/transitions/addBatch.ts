import { type AddBatchArgs, addBatch as script } from '@echomq/lua';
import { EchoMQError } from '../errors.js';
import type { QueueKeys } from '../keys.js';
import { type AddOutcome, acceptedAdd, linked, type NewJob } from '../new-job.js';
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
  const args = { prefix: queue.base, timestamp: now, jobs: jobs.map(item), slots: slotsOf(jobs) };
  const answers = rows(script, await store.run(script, queue, args));
  return answers.map((answer) => readAnswer(answer, queue));
}

type Item = AddBatchArgs['jobs'][number];

/**
 * The hash of a slot and how long it stays are those of the batch. Most jobs have a slot and little else: they are written
 * out, for a copy of all but the receipt costs several times as much.
 */
function item(job: NewJob): Item {
  const { receipt, name, data, opts } = job;
  const seq = receipt?.seq;
  if (seq === undefined) return linked(job);
  const plain: Item = { name, data, opts, slot: receipt?.field ?? '', seq };
  if (isPlain(job)) return plain;
  const { receipt: _, ...rest } = linked(job);
  return Object.assign(plain, rest);
}

/** Whether a job has no more than every job. */
function isPlain(job: NewJob): boolean {
  for (const name in job) if (!EVERY.has(name)) return false;
  return true;
}

const EVERY: ReadonlySet<string> = new Set<keyof NewJob>(['name', 'data', 'opts', 'receipt']);

/** The slots of a batch: all stand in one hash. */
function slotsOf(jobs: readonly NewJob[]): AddBatchArgs['slots'] {
  const first = jobs.find(({ receipt }) => receipt?.seq !== undefined)?.receipt;
  if (!first) return undefined;
  const fields = jobs.map(({ receipt }) =>
    receipt?.seq === undefined ? '' : (receipt.field ?? ''),
  );
  return { key: first.key, ttl: first.ttl, fields };
}

function readAnswer(answer: RedisReply, queue: QueueKeys): AddOutcome | EchoMQError {
  if (Array.isArray(answer) && answer[0] === 0) {
    return translateStoreError(new Error(String(answer[1])), script.file);
  }
  try {
    return acceptedAdd(script, answer, queue);
  } catch (error) {
    if (error instanceof EchoMQError) return error;
    throw error;
  }
}
