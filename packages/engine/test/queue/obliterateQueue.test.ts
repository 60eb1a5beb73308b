import { ObliterateQueueRequest } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { frozen, patient, refused, useServices } from '../use-services.js';

const used = useServices();

function obliterate(part: Parameters<typeof ObliterateQueueRequest.fromPartial>[0]) {
  const request = ObliterateQueueRequest.fromPartial({ confirmQueue: part.queue ?? '', ...part });
  return queueService(used.deps).obliterateQueue(frozen(request), patient);
}

describe('ObliterateQueue', () => {
  it('T081 leftovers: leaves no key of a paused queue', async () => {
    const queue = used.queue();
    await queue.seed({
      meta: { paused: 1 },
      wait: ['a'],
      'waiting-children': { p: 1 },
      'p:dependencies': ['x'],
      limiter: 1,
      'de:gone': 'x',
      'dn:gone': { name: 'n' },
      'meta:counters:1': { orphans: 1 },
      repeat: { s: 1 },
      'repeat:s': { ic: 1 },
      events: [{ event: 'paused' }],
      jobs: { a: {}, p: {} },
    });
    expect(await obliterate({ queue: queue.name })).toEqual({ done: true });
    expect(await queue.read()).toEqual({});
    expect((await refused(obliterate({ queue: queue.name }))).reason).toBe('QUEUE_NOT_FOUND');
  });

  it('does a part per call', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { paused: 1 }, wait: ['c', 'b', 'a'], jobs: { a: {}, b: {}, c: {} } });
    expect(await obliterate({ queue: queue.name, limit: 2 })).toEqual({ done: false });
    expect(await obliterate({ queue: queue.name, limit: 2 })).toEqual({ done: true });
    expect(await queue.read()).toEqual({});
  });

  it('refuses what is not confirmed, not paused, or at work, and removes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ active: ['a'], jobs: { a: {} } });
    const before = await queue.read();
    const { name } = queue;
    const unconfirmed = await refused(obliterate({ queue: name, confirmQueue: 'x' }));
    expect(unconfirmed.metadata.field).toBe('confirm_queue');
    expect(await refused(obliterate({ queue: name }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'QUEUE_NOT_PAUSED',
      metadata: { queue: name },
    });
    expect(await queue.read()).toEqual(before);
    await queue.seed({ meta: { paused: 1 } });
    expect((await refused(obliterate({ queue: name }))).reason).toBe('QUEUE_HAS_ACTIVE_JOBS');
    expect(await obliterate({ queue: name, force: true })).toEqual({ done: true });
    expect(await queue.read()).toEqual({});
  });
});
