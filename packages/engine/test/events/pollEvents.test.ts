import { EventStart, PollEventsRequest } from '@echomq/proto/messages';
import { eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';

const used = useEngine();
type Part = Parameters<typeof PollEventsRequest.fromPartial>[0];

function poll(queue: FreshQueue, part: Part = {}, context = patient) {
  const request = frozen(PollEventsRequest.fromPartial({ queue: queue.name, ...part }));
  return used.engine.services.event.pollEvents(request, context);
}

const append = (queue: FreshQueue, jobId: string) =>
  used.redis.client.xadd(queue.key('events'), '*', 'event', 'waiting', 'jobId', jobId);

describe('PollEvents', () => {
  it('reads on from one cursor to the next', async () => {
    const queue = used.queue();
    for (let i = 0; i < 5; i++) await append(queue, String(i));
    const seen: string[] = [];
    let cursor = '';
    for (let round = 0; round < 3; round++) {
      const start = EventStart.OLDEST;
      const answer = await poll(queue, { resumeAfter: cursor, start, maxBatch: 2 });
      seen.push(...answer.events.map(({ jobId }) => jobId));
      cursor = answer.cursor;
    }
    expect(seen).toEqual(['0', '1', '2', '3', '4']);
    expect(await poll(queue, { resumeAfter: cursor })).toMatchObject({ events: [], cursor });
  });

  it('waits for the first, past those that nobody wants', async () => {
    const queue = used.queue();
    const waits = poll(queue, { jobIds: ['9'], wait: { seconds: 10, nanos: 0 } });
    // The wait begins with what is newest when the call arrives.
    await eventually(async () => expect(await blockedReaders()).toBeGreaterThan(0));
    await append(queue, '1');
    const id = await append(queue, '9');
    expect(await waits).toMatchObject({ events: [{ id, jobId: '9' }], cursor: id });
  });

  it('answers with nothing in time, and in time for the deadline', async () => {
    const queue = used.queue();
    const begin = performance.now();
    const short = await poll(queue, { wait: { seconds: 0, nanos: 5e7 } });
    const context = { signal: patient.signal, deadline: Date.now() + 700 };
    const cut = await poll(queue, { wait: { seconds: 30, nanos: 0 } }, context);
    expect([short.events, cut.events, cut.cursor]).toEqual([[], [], '0-0']);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  it('refuses a trimmed cursor, long waits, and more waits than it may have', async () => {
    const queue = used.queue();
    const first = await append(queue, '1');
    await append(queue, '2');
    await append(queue, '3');
    await used.redis.client.xtrim(queue.key('events'), 'MAXLEN', 1);
    expect((await refused(poll(queue, { resumeAfter: first ?? '' }))).reason).toBe(
      'EVENT_CURSOR_TRIMMED',
    );
    expect((await refused(poll(queue, { wait: { seconds: 61, nanos: 0 } }))).metadata.field).toBe(
      'wait',
    );
    const engine = await used.another({ limits: { maxWaiters: 0 } });
    const request = PollEventsRequest.fromPartial({ queue: queue.name, wait: { seconds: 1 } });
    expect((await refused(engine.services.event.pollEvents(request, patient))).reason).toBe(
      'TOO_MANY_WAITERS',
    );
  });
});

/** Blocked readers on the server: the poll's tail is one. */
async function blockedReaders(): Promise<number> {
  const info = await used.redis.client.info('clients');
  return Number(/blocked_clients:(\d+)/.exec(info)?.[1] ?? 0);
}
