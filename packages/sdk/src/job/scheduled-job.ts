import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { Job } from './job.js';
import { recordOfAdd } from './records.js';

/** The next job of a scheduler, as it will be. */
export class ScheduledJob<Data = unknown, Result = unknown> extends Job<Data, Result> {
  /** When it becomes ready. */
  readonly nextRun: Date;

  /** @internal */
  constructor(
    connection: Connection,
    { queue, schedulerId, template }: pb.UpsertSchedulerRequest,
    { nextJobId, nextRun = new Date() }: pb.UpsertSchedulerResponse,
  ) {
    const item = {
      queue,
      name: template?.name || schedulerId,
      data: template?.data.length ? template.data : Buffer.from('{}'),
      options: template?.options,
      parent: undefined,
    };
    const isDue = nextRun.getTime() <= Date.now();
    const ready = item.options?.priority ? pb.JobState.PRIORITIZED : pb.JobState.WAITING;
    const state = isDue ? ready : pb.JobState.DELAYED;
    super(connection, { ...recordOfAdd(item, { jobId: nextJobId, state }), schedulerId });
    this.nextRun = nextRun;
  }
}
