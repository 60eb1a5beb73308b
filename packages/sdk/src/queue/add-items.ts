import type * as pb from '@echomq/proto/messages';
import { encodeOptions, encodeParent } from '../job/encode-options.js';
import type { JobsOptions } from '../job/job-options.js';
import { encodeJson } from '../payload/encode.js';
import { textOf } from '../payload/text.js';

/** One job of a bulk. */
export interface BulkItem<Data> {
  /** A name of your choice, on which handlers branch. */
  readonly name: string;
  /** The payload; see `Queue.add`. */
  readonly data: Data;
  /** Over the queue's defaults. */
  readonly opts?: JobsOptions;
}

/**
 * A job to add as the contract writes it.
 *
 * @param field where it stands in the caller's arguments: empty, or `items[3].`
 * @throws InvalidRequest naming what cannot be sent
 */
export function encodeItem(queue: string, item: BulkItem<unknown>, field: string): pb.AddJobItem {
  const opts = item.opts ?? {};
  return {
    queue,
    name: textOf(item.name, `${field}name`),
    data: encodeJson(item.data, `${field}data`),
    options: encodeOptions(opts, `${field}opts`),
    parent: encodeParent(opts.parent, `${field}opts.parent`),
  };
}
