import { type Job, ListJobsRequest } from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';
import { jobRow } from './job-row.js';
import { stateOf } from './states.js';

/** Rows of the first page, which is read over and over, and of those behind it. */
const FIRST = 100;
const PAGE = 1_000;
/** Where times are asked for: rows read at once, and how often before the page asks again. */
const LOOK = { rows: 500, times: 4 };

/**
 * Jobs of one state, a page at a time; of one name; of a span of time. No list is ordered by all times, so that a span is
 * found by looking: at most 2,000 jobs per request, after which `nextPageToken` goes on.
 */
export async function showJobs(fields: Fields, asked: Asked) {
  const [from, to] = [fields.instant('from'), fields.instant('to')];
  const state = fields.text('state');
  const query = { fields, asked, state };
  if (from === undefined && to === undefined) {
    const token = fields.text('pageToken');
    const { jobs, nextPageToken } = await page(query, token === '' ? FIRST : PAGE, token);
    return { jobs: jobs.map(jobRow), nextPageToken, lookedAt: jobs.length };
  }
  return span(query, from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY);
}

interface Query {
  readonly fields: Fields;
  readonly asked: Asked;
  readonly state: string;
}

async function page({ fields, asked, state }: Query, pageSize: number, pageToken: string) {
  const request = ListJobsRequest.fromPartial({
    queue: fields.text('queue'),
    states: [stateOf(state)],
    nameFilter: fields.text('name'),
    pageSize,
    pageToken,
  });
  return asked.caller.services.queue.listJobs(request, asked.context);
}

async function span(query: Query, from: number, to: number) {
  const found: Job[] = [];
  let token = query.fields.text('pageToken');
  let lookedAt = 0;
  // Finished jobs come newest end first: behind the first that is too old there are none.
  const ordered = query.state === 'completed' || query.state === 'failed';
  for (let time = 0; time < LOOK.times; time++) {
    const { jobs, nextPageToken } = await page(query, LOOK.rows, token);
    lookedAt += jobs.length;
    found.push(...jobs.filter((job) => timeOf(job) >= from && timeOf(job) <= to));
    const last = jobs.at(-1);
    token = ordered && last && timeOf(last) < from ? '' : nextPageToken;
    if (token === '' || found.length >= PAGE) break;
  }
  return { jobs: found.map(jobRow), nextPageToken: token, lookedAt };
}

/** What a search by time goes by: the end, else the add; as CleanQueue does. */
function timeOf({ finishedAt, createdAt }: Job): number {
  return (finishedAt ?? createdAt)?.getTime() ?? 0;
}
