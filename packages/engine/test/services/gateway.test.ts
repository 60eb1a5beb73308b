import {
  GetServerInfoResponse,
  type ListQueuesRequest,
  type ListQueuesResponse,
  msToDuration,
} from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { eventService } from '../../src/services/event/event-service.js';
import { gatewayService } from '../../src/services/gateway/gateway-service.js';
import { producerService } from '../../src/services/producer/producer-service.js';
import { queueService } from '../../src/services/queue/queue-service.js';
import { schedulerService } from '../../src/services/scheduler/scheduler-service.js';
import { unavailable } from '../../src/services/unavailable.js';
import { depsOf, patient, refused, useServices } from '../use-services.js';

const used = useServices();

describe('GetServerInfo', () => {
  it('tells version, capabilities, limits and the store', async () => {
    const { deps } = used;
    const gateway = gatewayService(deps, {
      producer: { ...producerService(deps), waitJob: async () => expect.unreachable() },
      queue: queueService(deps),
      event: eventService({ ...deps, tail: undefined as never, draining: patient.signal }),
      scheduler: schedulerService(deps),
    });
    const answer = await gateway.getServerInfo({}, patient);
    const info = answer.serverInfo;
    expect(info?.serverVersion).toBe('0.0.0-test');
    expect(info?.apiVersions).toEqual(['echomq.v1']);
    expect(info?.capabilities).toMatchObject({
      AddJob: true,
      AddJobs: true,
      AddFlow: true,
      ListJobs: true,
      DrainQueue: true,
      Subscribe: true,
      UpsertScheduler: true,
      CancelJob: true,
      ListWorkers: true,
      GetServerInfo: true,
      idempotency: true,
      receipts: true,
      deduplication: true,
      queueLimits: true,
    });
    expect(info?.limits).toMatchObject({
      maxPayloadBytes: 1_048_576,
      maxResponseBytes: 3_670_016,
      maxMessageBytes: 4_194_304,
      maxWait: msToDuration(60_000),
      maxBulkItems: 1_000,
    });
    expect(info?.redis).toMatchObject({ cluster: false });
    expect(info?.redis?.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(Math.abs(Number(info?.time) - Date.now())).toBeLessThan(60_000);
    expect(GetServerInfoResponse.decode(GetServerInfoResponse.encode(answer).finish())).toEqual(
      answer,
    );
  });

  it('answers without a store', async () => {
    const client = used.client.duplicate();
    await client.whenReady(AbortSignal.timeout(5_000));
    await client.close();
    const closed = Object.create(client, { ready: { value: false } });
    const { serverInfo } = await gatewayService(depsOf(closed)).getServerInfo({}, patient);
    expect(serverInfo?.redis).toEqual({ name: 'redis', version: '', cluster: false });
    expect(serverInfo?.time).toBeInstanceOf(Date);
    const broken = Object.create(client, { ready: { value: true } });
    const again = await gatewayService(depsOf(broken)).getServerInfo({}, patient);
    expect(again.serverInfo?.redis?.version).toBe('');
  });
});

describe('what is not served', () => {
  it('answers FEATURE_DISABLED and names the rpc', async () => {
    const listQueues = unavailable<ListQueuesRequest, ListQueuesResponse>('ListQueues');
    expect(await refused(listQueues({} as never, patient))).toEqual({
      code: 'UNIMPLEMENTED',
      reason: 'FEATURE_DISABLED',
      metadata: { rpc: 'ListQueues' },
    });
    const queue = { ...queueService(used.deps), listQueues };
    const { serverInfo } = await gatewayService(used.deps, { queue }).getServerInfo({}, patient);
    expect(serverInfo?.capabilities).toMatchObject({ ListQueues: false, GetQueue: true });
  });
});
