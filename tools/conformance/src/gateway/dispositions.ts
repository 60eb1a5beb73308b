import { Disposition, type JobOutcome } from '@echomq/proto/messages';

/** What becomes of a job that has no attempts left. */
export function dispositionOf(outcome: JobOutcome | undefined): Disposition {
  switch (outcome?.kind?.$case) {
    case 'complete':
      return Disposition.COMPLETED;
    case 'fail':
      return Disposition.FAILED;
    case 'delay':
      return Disposition.DELAYED;
    case 'awaitChildren':
      return Disposition.WAITING_CHILDREN;
    default:
      return Disposition.RELEASED;
  }
}
