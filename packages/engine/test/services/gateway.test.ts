import { GetServerInfoResponse, msToDuration } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { gatewayService } from '../../src/services/gateway/gateway-service.js';
import { producerService } from '../../src/services/producer/producer-service.js';
import { queueService } from '../../src/services/queue/queue-service.js';
import { eventService, schedulerService } from '../../src/services/unavailable.js';
import { depsOf, patient, refused, useServices } from '../use-services.js';

const used = useServices();

describe('GetServerInfo', () => {
  it('tells version, capabilities, limits and the store', async () => {
    const { deps } = used;
    const gateway = gatewayService(deps, {
      producer: producerService(deps),
      queue: queueService(deps),
      event: eventService(),
      scheduler: schedulerService(),
    });
    const answer = await gateway.getServerInfo({}, patient);
    const info = answer.serverInfo;
    expect(info?.serverVersion).toBe('0.0.0-test');
    expect(info?.apiVersions).toEqual(['echomq.v1']);
    expect(info?.capabilities).toMatchObject({
      AddJob: true,
      AddJobs: true,
      AddFlow: false,
      ListJobs: true,
      DrainQueue: false,
      Subscribe: false,
      UpsertScheduler: false,
      GetServerInfo: true,
      idempotency: false,
      receipts: false,
      deduplication: false,
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
    const call = schedulerService().previewSchedule({} as never, patient);
    expect(await refused(call)).toEqual({
      code: 'UNIMPLEMENTED',
      reason: 'FEATURE_DISABLED',
      metadata: { rpc: 'PreviewSchedule' },
    });
    const queue = queueService(used.deps);
    const refusal = await refused(queue.drainQueue({} as never, patient));
    expect(refusal.metadata).toEqual({ rpc: 'DrainQueue' });
  });

  it('ends a stream with it at once', async () => {
    const read = async () => {
      for await (const _ of eventService().subscribe({} as never, patient)) expect.unreachable();
    };
    expect((await refused(read())).metadata).toEqual({ rpc: 'Subscribe' });
  });
});
