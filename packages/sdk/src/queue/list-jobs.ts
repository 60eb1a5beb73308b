import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { Job } from '../job/job.js';
import { encodeState, type JobState } from '../job/job-state.js';
import { checkNames } from '../payload/known-names.js';
import { uint32Of } from '../payload/numbers.js';

/** How jobs are listed. */
export interface ListOptions {
  /** `asc`: oldest first within a state; `desc`: newest first. By default finished jobs newest first, others oldest. */
  readonly order?: 'asc' | 'desc';
  /** Jobs fetched at a time, at most 1,000. */
  readonly pageSize?: number;
  /** Where an earlier page ended. */
  readonly pageToken?: string;
  /** Leaves payloads, results, progress and stack traces out. False by default. */
  readonly basic?: boolean;
  /** Only jobs of this name. */
  readonly name?: string;
  /** So many jobs of the list are passed over unread, whatever their names. With one state only. */
  readonly skip?: number;
}

const NAMES: ReadonlySet<string> = new Set([
  ...([
    'order',
    'pageSize',
    'pageToken',
    'basic',
    'name',
    'skip',
  ] as const satisfies readonly (keyof ListOptions)[]),
]);

/** One page of a list. */
export interface JobsOfPage<Data, Result> {
  readonly jobs: readonly Job<Data, Result>[];
  /** For `pageToken`; undefined after the last page. */
  readonly nextPageToken: string | undefined;
}

/** A list of jobs: all of it to walk over, or one page of it. */
export interface JobPage<Data, Result> extends AsyncIterable<Job<Data, Result>> {
  /** The first page, or the one that `pageToken` names. */
  page(): Promise<JobsOfPage<Data, Result>>;
  /** All jobs at once. */
  all(): Promise<Job<Data, Result>[]>;
}

/** See `Queue.getJobs`. Nothing is asked for before the list is walked. */
export function listJobs<Data, Result>(
  connection: Connection,
  queue: string,
  states: readonly JobState[],
  options: ListOptions,
): JobPage<Data, Result> {
  checkNames(options, NAMES, { field: 'options', what: 'an option of a list' });
  const request = {
    queue,
    states: states.map((state) => encodeState(state)),
    order: pb.SortOrder[orderName(options.order)],
    pageSize: uint32Of(options.pageSize, 'pageSize') ?? 0,
    view: options.basic ? pb.JobView.BASIC : pb.JobView.FULL,
    nameFilter: options.name ?? '',
    skip: uint32Of(options.skip, 'skip'),
  };
  const page = async (pageToken = options.pageToken ?? ''): Promise<JobsOfPage<Data, Result>> => {
    const answer = await connection.call('queue', 'listJobs', { ...request, pageToken });
    return {
      jobs: answer.jobs.map((job) => new Job<Data, Result>(connection, job)),
      nextPageToken: answer.nextPageToken || undefined,
    };
  };
  async function* walk() {
    for (let token = options.pageToken ?? ''; ; ) {
      const { jobs, nextPageToken } = await page(token);
      yield* jobs;
      if (nextPageToken === undefined) return;
      token = nextPageToken;
    }
  }
  return {
    [Symbol.asyncIterator]: walk,
    page: () => page(),
    async all() {
      const jobs: Job<Data, Result>[] = [];
      for await (const job of walk()) jobs.push(job);
      return jobs;
    },
  };
}

function orderName(order: ListOptions['order']): 'UNSPECIFIED' | 'ASCENDING' | 'DESCENDING' {
  if (order === undefined) return 'UNSPECIFIED';
  return order === 'asc' ? 'ASCENDING' : 'DESCENDING';
}
