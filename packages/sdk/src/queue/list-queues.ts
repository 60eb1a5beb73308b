import type { Connection } from '../connection.js';
import { type PageOptions, type Pages, pagesOf } from '../paging/pages.js';
import { uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';

/** A queue in a list. */
export interface QueueSummary {
  readonly name: string;
  /** It hands nothing out. */
  readonly paused: boolean;
  /** Why it cannot be worked with: its keys or its name are none that a queue may have. */
  readonly problem: string | undefined;
}

/** See `Connection.getQueues`. */
export function listQueues(
  connection: Connection,
  options: PageOptions & { readonly prefix?: string },
): Pages<QueueSummary> {
  const request = {
    pageSize: uint32Of(options.pageSize, 'pageSize') ?? 0,
    prefixFilter: textOf(options.prefix ?? '', 'prefix'),
  };
  return pagesOf(async (pageToken) => {
    const answer = await connection.call('queue', 'listQueues', { ...request, pageToken });
    return {
      items: answer.queues.map(({ queue, paused, problem }) => ({
        name: queue,
        paused,
        problem: problem || undefined,
      })),
      nextPageToken: answer.nextPageToken || undefined,
    };
  }, options.pageToken);
}
