import { CancelJobRequest } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import type { Engine } from '../../src/engine.js';
import { frozen, patient } from '../use-services.js';

/** Cancels a job. */
export function cancelJob(
  engine: Engine,
  queue: Pick<FreshQueue, 'name'>,
  jobId: string,
  { force = false }: { readonly force?: boolean } = {},
) {
  const request = frozen(CancelJobRequest.fromPartial({ queue: queue.name, jobId, force }));
  return engine.services.queue.cancelJob(request, patient);
}
