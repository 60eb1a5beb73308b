import { EchoMQError } from '@echomq/sdk';

/** What the gateway would have said of a scheduler that is not there. */
export function errorOfMissingScheduler(queue: string, schedulerId: string): EchoMQError {
  return new EchoMQError(`there is no scheduler ${schedulerId} in "${queue}"`, {
    code: 'NOT_FOUND',
    reason: 'SCHEDULER_NOT_FOUND',
    metadata: { queue, schedulerId },
  });
}
