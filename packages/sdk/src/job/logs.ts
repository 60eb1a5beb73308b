import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { checkRange, pageSizeFor, type Range, takeRange } from '../paging/range.js';
import type { JobName } from './job-calls.js';

/** A part of a job's log. */
export interface JobLogs {
  /** The lines of the part. */
  readonly logs: readonly string[];
  /** Lines of the whole log. */
  readonly count: number;
}

/** The pages of a log, oldest line first unless `descending`. @throws JobNotFound */
export async function* logPages(
  connection: Connection,
  job: JobName,
  { descending, pageSize }: { readonly descending: boolean; readonly pageSize: number },
): AsyncGenerator<pb.GetJobLogsResponse, void, undefined> {
  const order = pb.SortOrder[descending ? 'DESCENDING' : 'ASCENDING'];
  let pageToken = '';
  do {
    const request = { ...job, pageSize, pageToken, order };
    const page = await connection.call('queue', 'getJobLogs', request);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

/** See `Queue.getJobLogs`. @throws InvalidRequest naming `start` or `end`; JobNotFound */
export async function readLogs(
  connection: Connection,
  job: JobName,
  range: Range & { readonly ascending: boolean },
): Promise<JobLogs> {
  checkRange(range);
  const pages = logPages(connection, job, {
    descending: !range.ascending,
    pageSize: pageSizeFor(range),
  });
  let count = 0;
  async function* lines() {
    for await (const page of pages) {
      count = page.total;
      yield* page.lines;
    }
  }
  const logs = await takeRange(lines(), range);
  return { logs, count };
}
