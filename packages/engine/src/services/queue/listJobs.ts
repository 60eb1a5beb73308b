import { InvalidRequest } from '@echomq/core';
import { JobView, type ListJobsRequest } from '@echomq/proto/messages';
import type { QueueApi } from '../../service.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { uint } from '../../validation/uint.js';
import { readMethod } from '../unary-method.js';
import { jobPage, type Position } from './job-page.js';
import { listedStates } from './listed-states.js';
import { locationsOf } from './locations.js';
import type { QueueDeps } from './named-job.js';
import { shownView } from './stored-jobs.js';

/** QueueService.ListJobs. An unknown queue has no jobs. */
export function listJobs(deps: QueueDeps): QueueApi['listJobs'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const states = listedStates(request.states);
    const { order, nameFilter } = request;
    const list = [queue.keys.base, states, order, nameFilter];
    const query = {
      queue,
      locations: locationsOf(states, order),
      view: shownView(request.view, JobView.BASIC),
      nameFilter,
      size: pageSize(request.pageSize, deps.limits),
    };
    const { jobs, next } = await jobPage(deps, query, startOf(request, list));
    return { jobs, nextPageToken: next ? pageToken(list, [next.location, next.offset]) : '' };
  });
}

function startOf(request: ListJobsRequest, list: readonly unknown[]): Position {
  const skip = uint(request.skip, 'skip', { fallback: 0 });
  if (skip > 0 && request.states.length !== 1) {
    throw new InvalidRequest('skip', 'goes with one state only');
  }
  const [location = 0, offset = skip] = pagePosition(request.pageToken, list) ?? [];
  if (typeof location === 'number' && typeof offset === 'number') return { location, offset };
  throw new InvalidRequest('page_token', 'is no token of this list');
}
