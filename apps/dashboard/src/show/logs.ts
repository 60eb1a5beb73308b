import { GetJobLogsRequest } from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';

/** More of a job's log. */
export async function showLogs(fields: Fields, { caller, context }: Asked) {
  const request = GetJobLogsRequest.fromPartial({
    queue: fields.text('queue'),
    jobId: fields.text('id'),
    pageSize: 1_000,
    pageToken: fields.text('pageToken'),
  });
  return caller.services.queue.getJobLogs(request, context);
}
