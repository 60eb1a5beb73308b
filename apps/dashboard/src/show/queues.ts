import { errorReport } from '@echomq/engine';
import { GetJobCountsRequest, ListQueuesRequest, type QueueSummary } from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';
import { stateName } from './states.js';

/** Queues of one screen: each costs one read of its counts per poll. */
const PAGE = 50;

/** The queues that the caller may read, with how many jobs are where. */
export async function showQueues(fields: Fields, asked: Asked) {
  const { queue: api } = asked.caller.services;
  const { queues, nextPageToken } = await api.listQueues(
    ListQueuesRequest.fromPartial({
      pageSize: PAGE,
      pageToken: fields.text('pageToken'),
      prefixFilter: fields.text('prefix'),
    }),
    asked.context,
  );
  return { queues: await Promise.all(queues.map((one) => summary(one, asked))), nextPageToken };
}

async function summary({ queue, paused, problem }: QueueSummary, asked: Asked) {
  const shown = { queue, paused, problem };
  if (problem !== '') return shown;
  try {
    return { ...shown, counts: await countsOf(queue, asked) };
  } catch (error) {
    // A key of another kind, say. What is wrong with one queue hides no other; the engine has logged it.
    if (errorReport(error).code !== 'INTERNAL') throw error;
    return { ...shown, problem: 'cannot be read: `echomq doctor` says why' };
  }
}

/** How many jobs are where, by the names of the states. */
export async function countsOf(queue: string, { caller, context }: Asked) {
  const request = GetJobCountsRequest.fromPartial({ queue });
  const { counts } = await caller.services.queue.getJobCounts(request, context);
  return Object.fromEntries(counts.map(({ state, count }) => [stateName(state), count]));
}
