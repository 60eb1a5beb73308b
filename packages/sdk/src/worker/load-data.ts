import type * as pb from '@echomq/proto/messages';
import { EchoMQError } from '../errors.js';
import type { Transport } from '../transport/transport.js';
import { failed, type RunEnd, released } from './outcomes.js';

/** Fetches a payload that was too large for the delivery; or says how the run ends when that cannot be done. */
export async function loadData(
  transport: Transport,
  delivered: pb.DeliveredJob,
  signal: AbortSignal,
): Promise<pb.DeliveredJob | RunEnd> {
  const { lease } = delivered;
  if (lease === undefined) return delivered;
  try {
    const request: pb.GetJobDataRequest = { target: { $case: 'lease', value: lease } };
    const chunks: Buffer[] = [];
    for await (const { chunk } of transport.serverStream('worker', 'getJobData', request, signal)) {
      chunks.push(chunk);
    }
    return { ...delivered, data: Buffer.concat(chunks), dataOmitted: false };
  } catch (error) {
    if (error instanceof EchoMQError && error.retryable) return released({ toFront: false });
    return failed(error, { final: false });
  }
}
