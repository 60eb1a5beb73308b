import { msToDuration, type ServerInfo } from '@echomq/proto/messages';

const MIB = 1_048_576;

/**
 * What the played gateway says of itself: the limits that a gateway has unless it is told otherwise.
 *
 * @param older it has only what the first version of the contract had
 */
export function serverInfo(older = false): ServerInfo {
  return {
    serverVersion: 'conformance',
    apiVersions: ['echomq.v1'],
    capabilities: {
      ...{ Work: true, GetJobData: true },
      ...(older ? {} : { heartbeatMore: true, reportBatches: true, turnBatches: true }),
    },
    limits: {
      maxPayloadBytes: MIB,
      maxReturnValueBytes: MIB,
      maxMessageBytes: 4 * MIB,
      maxResponseBytes: 3.5 * MIB,
      maxWait: msToDuration(60_000),
      minLockDuration: msToDuration(1_000),
      maxLockDuration: msToDuration(3_600_000),
      maxStreams: 1_000,
      maxWaiters: 1_000,
      maxJobsPerFetch: 100,
      maxBulkItems: 1_000,
      maxPageSize: 1_000,
    },
    time: new Date(),
    redis: { name: 'none', version: '', cluster: false },
  };
}
