import type { Services } from '../../service.js';
import { isServed } from '../unavailable.js';

/** The services of the contract besides the one that tells about them. */
export type ServedServices = Partial<Omit<Services, 'gateway'>>;

/** What goes beyond single rpcs. */
const FEATURES: Readonly<Record<string, boolean>> = {
  /** Repeated requests with one request_id are told apart. */
  idempotency: true,
  receipts: true,
  /** `options.deduplication` of an add. */
  deduplication: true,
  /** `parent` of an add. */
  parents: true,
  /** `max_payload_bytes` and `max_jobs` of SetQueueLimits are kept by the adds, not only stored. */
  queueLimits: true,
  /** `headers` of the options reach the worker. */
  headers: true,
  /** A heartbeat may name only what it adds to the last ones. */
  heartbeatMore: true,
  /** Reports may come several to a message, and to a worker that says the same their answers leave so. */
  reportBatches: true,
  /** A heartbeat may come with reports, and to a worker that says the same deliveries leave with answers. */
  turnBatches: true,
};

/** Whether each rpc is served, by its name, and each feature. */
export function capabilities(services: ServedServices): Record<string, boolean> {
  const served: Record<string, boolean> = { GetServerInfo: true };
  for (const service of Object.values(services)) {
    for (const [method, implementation] of Object.entries(service ?? {})) {
      served[method[0]?.toUpperCase() + method.slice(1)] = isServed(implementation as object);
    }
  }
  return { ...served, ...FEATURES };
}
