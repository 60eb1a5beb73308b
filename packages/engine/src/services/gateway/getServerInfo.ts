import { msToDuration, type ServerLimits } from '@echomq/proto/messages';
import type { Limits } from '../../limits.js';
import type { EngineDeps } from '../../ports.js';
import type { GatewayApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { capabilities, type ServedServices } from './capabilities.js';
import { storeInfoReader, storeTime } from './store-info.js';

/** What GatewayService works with. */
export type GatewayDeps = Pick<EngineDeps, 'store' | 'limits' | 'clock' | 'serverVersion'>;

/** GatewayService.GetServerInfo. Answers also while the store cannot be reached. */
export function getServerInfo(
  deps: GatewayDeps,
  services: ServedServices,
): GatewayApi['getServerInfo'] {
  const storeInfo = storeInfoReader(deps);
  return readMethod(deps, async () => {
    const [redis, time] = await Promise.all([storeInfo(), storeTime(deps)]);
    return {
      serverInfo: {
        serverVersion: deps.serverVersion,
        apiVersions: ['echomq.v1'],
        capabilities: capabilities(services),
        limits: serverLimits(deps.limits),
        time,
        redis,
      },
    };
  });
}

function serverLimits(limits: Limits): ServerLimits {
  return {
    maxPayloadBytes: limits.maxPayloadBytes,
    maxReturnValueBytes: limits.maxPayloadBytes,
    maxMessageBytes: limits.maxMessageBytes,
    maxResponseBytes: limits.maxResponseBytes,
    maxWait: msToDuration(limits.maxWaitMs),
    minLockDuration: msToDuration(limits.minLockMs),
    maxLockDuration: msToDuration(limits.maxLockMs),
    maxStreams: limits.maxStreams,
    maxWaiters: limits.maxWaiters,
    maxJobsPerFetch: limits.maxBatch,
    maxBulkItems: limits.maxBulkItems,
    maxPageSize: limits.maxPageSize,
  };
}
