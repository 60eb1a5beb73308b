import { EchoMQError } from '@echomq/core';

/**
 * A stored job that cannot be handed to a worker. Nobody's request is at fault: who meets it fails the job with
 * {@link CorruptJob.problem} as its reason and goes on with the next.
 */
export class CorruptJob extends EchoMQError {
  override readonly name = 'CorruptJob';

  constructor(
    readonly jobId: string,
    /** What is wrong with it, in few words, without any of its contents. */
    readonly problem: string,
  ) {
    super(`corrupt job: ${problem}`, {
      code: 'INTERNAL',
      reason: 'SCRIPT_ERROR',
      metadata: { job_id: jobId },
    });
  }
}
