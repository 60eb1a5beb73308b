import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { Job } from './job.js';
import { recordOfAdd } from './records.js';

/** What an add did: see {@link AddedJob.outcome}. */
export type AddOutcome = 'created' | 'existing' | 'deduplicated' | 'replaced' | 'queued-as-next';

const OUTCOMES: Readonly<Record<number, AddOutcome>> = {
  [pb.AddOutcome.EXISTING]: 'existing',
  [pb.AddOutcome.DEDUPLICATED]: 'deduplicated',
  [pb.AddOutcome.REPLACED]: 'replaced',
  [pb.AddOutcome.QUEUED_AS_NEXT]: 'queued-as-next',
};

/** The job that stands for an add. Where an older one does, its payload may be another than the one shown here. */
export class AddedJob<Data = unknown, Result = unknown> extends Job<Data, Result> {
  /**
   * `created`: it is new. `existing`: a job with the id of your choice was there and is untouched. `deduplicated`: one
   * with the same deduplication id was there. `replaced`: it took the place of that one. `queued-as-next`: it is kept
   * and runs after the active one.
   */
  readonly outcome: AddOutcome;
  /** The job that was there before, if there was one. */
  readonly existingId: string | undefined;

  /** @internal */
  constructor(connection: Connection, item: pb.AddJobItem, added: pb.AddedJob) {
    super(connection, recordOfAdd(item, added));
    this.outcome = OUTCOMES[added.outcome] ?? 'created';
    this.existingId = added.existingJobId || undefined;
  }
}
