import * as pb from '@echomq/proto/messages';
import { EchoMQError } from '../errors.js';
import { AddedJob } from '../job/added-job.js';
import type { JobsOptions } from '../job/job-options.js';
import { checkList } from '../payload/known-names.js';
import { tracedAdd, withTrace } from '../telemetry/add-spans.js';
import { newRequestId } from '../transport/request-id.js';
import { errorFromStatus } from '../transport/status.js';
import { type BulkItem, encodeItem } from './add-items.js';
import { QueueSchedulers } from './queue-schedulers.js';

/**
 * Adds jobs to a queue and looks into it. It holds nothing open: there is nothing to close.
 *
 * @example
 * const mails = new Queue<Mail>('mails', { connection });
 * const job = await mails.add('welcome', { to: 'ada@example.org' }, { attempts: 3 });
 */
export class Queue<Data = unknown, Result = unknown> extends QueueSchedulers<Data, Result> {
  /**
   * Adds one job. Once it returns, the job is stored. With a `jobId` of your own a call that failed may be repeated;
   * what the SDK repeats by itself never adds twice.
   *
   * @param data anything that JSON can hold; a Date becomes its ISO string
   * @throws InvalidRequest, PayloadTooLarge, Overloaded, Unavailable
   */
  add(name: string, data: Data, opts: JobsOptions = {}): Promise<AddedJob<Data, Result>> {
    let item: pb.AddJobItem;
    try {
      item = encodeItem(this.name, { name, data, opts: this.#withDefaults(opts) }, '');
    } catch (error) {
      return Promise.reject(error);
    }
    if (!this.telemetry) return this.#addOne(item);
    return tracedAdd(this.telemetry, { queue: this.name, jobs: 1 }, async (span) => {
      const job = await this.#addOne(withTrace(item, span));
      span?.note({ 'messaging.message.id': job.id });
      return job;
    });
  }

  /**
   * Adds many jobs, at most 1,000: all or none, in one step.
   *
   * @returns the jobs in the order of the items
   * @throws what {@link add} throws, with the item's place in `field`; then nothing was added
   */
  addBulk(items: readonly BulkItem<Data>[]): Promise<AddedJob<Data, Result>[]>;
  /**
   * Adds many jobs, each by itself.
   *
   * @returns per item the job, or the error that kept it out
   */
  addBulk(
    items: readonly BulkItem<Data>[],
    options: { readonly perItem: true },
  ): Promise<(AddedJob<Data, Result> | EchoMQError)[]>;
  async addBulk(
    items: readonly BulkItem<Data>[],
    { perItem = false }: { readonly perItem?: boolean } = {},
  ): Promise<(AddedJob<Data, Result> | EchoMQError)[]> {
    checkList(items, 'items');
    if (items.length === 0) return [];
    const encoded = items.map((item, index) =>
      encodeItem(
        this.name,
        { ...item, opts: this.#withDefaults(item.opts ?? {}) },
        `items[${index}].`,
      ),
    );
    return tracedAdd(this.telemetry, { queue: this.name, jobs: items.length }, (span) => {
      const sent = encoded.map((item) => withTrace(item, span));
      return this.#addAll(sent, perItem ? pb.AddMode.PER_ITEM : pb.AddMode.ATOMIC);
    });
  }

  #addOne(item: pb.AddJobItem): Promise<AddedJob<Data, Result>> {
    const { queue, name, data, options: jobOptions, parent } = item;
    const requestId = newRequestId();
    const request = { queue, name, data, options: jobOptions, parent, requestId };
    const options = hasOwnId(item) ? IDEMPOTENT : ONCE;
    return this.connection
      .call('producer', 'addJob', request, options)
      .then((added) => new AddedJob<Data, Result>(this.connection, item, added));
  }

  async #addAll(
    encoded: readonly pb.AddJobItem[],
    mode: pb.AddMode,
  ): Promise<(AddedJob<Data, Result> | EchoMQError)[]> {
    const request = {
      queue: this.name,
      items: [...encoded],
      mode,
      requestId: newRequestId(),
    };
    const idempotent = encoded.every(hasOwnId);
    const { results } = await this.connection.call('producer', 'addJobs', request, { idempotent });
    return encoded.map((item, index) => {
      const result = results[index]?.result;
      if (result?.$case === 'added') return new AddedJob(this.connection, item, result.value);
      if (result?.$case === 'error') return errorFromStatus(result.value);
      throw new EchoMQError(`the gateway gave no answer for item ${index}`, {
        code: 'INTERNAL',
        reason: '',
      });
    });
  }

  #withDefaults(opts: JobsOptions): JobsOptions {
    if (isEmpty(opts) && isEmpty(this.defaultJobOptions)) return NO_OPTIONS;
    return { ...this.defaultJobOptions, ...opts };
  }
}

const NO_OPTIONS: JobsOptions = Object.freeze({});

/** Whether nothing is set, as with most adds. */
function isEmpty(options: JobsOptions): boolean {
  if (typeof options !== 'object' || options === null) return false;
  for (const _ in options) return false;
  return true;
}

const IDEMPOTENT = { idempotent: true };
const ONCE = { idempotent: false };

/** An add of an id that exists changes nothing. */
function hasOwnId({ options }: pb.AddJobItem): boolean {
  return (options?.jobId ?? '') !== '';
}
