import { EventStart, EventType, JobState } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../use-engine.js';
import { refused } from '../use-services.js';
import { opening, subscribe } from './subscriber.js';

const used = useEngine();
const service = () => used.engine.services.event;
const append = (key: string, ...fields: (string | Buffer)[]) =>
  used.redis.client.xadd(key, '*', ...fields);

describe('Subscribe', () => {
  it('begins now, or with the oldest that is kept', async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const old = await append(key, 'event', 'paused');
    const now = subscribe(service(), queue);
    const all = subscribe(service(), queue, { start: EventStart.OLDEST });
    expect(await opening(now)).toEqual({ cursor: old, oldest: old });
    expect(await opening(all)).toEqual({ cursor: '0-0', oldest: old });
    const id = await append(key, 'event', 'resumed');
    expect((await now.events(1)).map((event) => event.id)).toEqual([id]);
    expect((await all.events(2)).map((event) => event.type)).toEqual([
      EventType.PAUSED,
      EventType.RESUMED,
    ]);
    await Promise.all([now.leave(), all.leave()]);
  });

  it('opens on a queue that has no events, and misses none after that', async () => {
    const queue = used.queue();
    const subscriber = subscribe(service(), queue);
    expect(await opening(subscriber)).toEqual({ cursor: '0-0', oldest: '' });
    const waits = subscriber.events(1);
    const id = await append(queue.key('events'), 'event', 'drained');
    expect((await waits)[0]).toMatchObject({ id, type: EventType.DRAINED });
    await subscriber.leave();
  });

  it('shows what each event says', async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const value = Buffer.from('{"n": 1.0}');
    const rows: (string | Buffer)[][] = [
      ['event', 'added', 'jobId', '1', 'name', 'send'],
      ['event', 'delayed', 'jobId', '1', 'delay', '1700000000000'],
      ['event', 'waiting', 'jobId', '1', 'prev', 'delayed'],
      ['event', 'completed', 'jobId', '1', 'returnvalue', value, 'prev', 'active'],
      ['event', 'failed', 'jobId', '2', 'failedReason', 'no', 'prev', 'active'],
      ['event', 'retries-exhausted', 'jobId', '2', 'attemptsMade', '3'],
      ['event', 'progress', 'jobId', '2', 'data', '50'],
      ['event', 'deduplicated', 'jobId', '1', 'deduplicationId', 'd', 'deduplicatedJobId', '2'],
      ['event', 'debounced', 'jobId', '1', 'debounceId', 'd'],
      ['event', 'cleaned', 'count', '7'],
      ['event', 'custom', 'jobId', '9', 'x', Buffer.from([0xff])],
    ];
    for (const row of rows) await append(key, ...row);
    const request = { start: EventStart.OLDEST, includePayloads: true };
    const subscriber = subscribe(service(), queue, request);
    const events = await subscriber.events(rows.length);
    const [added, delayed, waiting, completed, failed, exhausted, progress, ...rest] = events;
    expect(added).toMatchObject({ type: EventType.ADDED, jobId: '1', name: 'send', extra: {} });
    expect(delayed?.dueAt).toEqual(new Date(1_700_000_000_000));
    expect(waiting?.prevState).toBe(JobState.DELAYED);
    expect(completed).toMatchObject({ returnValue: value, prevState: JobState.ACTIVE });
    expect(failed).toMatchObject({ type: EventType.FAILED, failedReason: 'no' });
    expect(exhausted?.attemptsMade).toBe(3);
    expect(progress?.progress).toEqual(Buffer.from('50'));
    expect(rest).toMatchObject([
      { type: EventType.DEDUPLICATED, deduplicationId: 'd', deduplicatedJobId: '2' },
      { type: EventType.DEBOUNCED, deduplicationId: 'd' },
      { type: EventType.CLEANED, count: 7 },
      {
        type: EventType.UNSPECIFIED,
        rawType: 'custom',
        jobId: '9',
        extra: { x: Buffer.from([0xff]) },
      },
    ]);
    await subscriber.leave();
    const quiet = subscribe(service(), queue, { start: EventStart.OLDEST });
    const bare = await quiet.events(rows.length);
    expect([bare[3]?.returnValue, bare[6]?.progress]).toEqual([Buffer.alloc(0), Buffer.alloc(0)]);
    await quiet.leave();
  });

  it('sends only the wanted types and jobs', async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const subscriber = subscribe(service(), queue, {
      types: [EventType.COMPLETED, EventType.UNSPECIFIED],
      jobIds: ['2', '3'],
    });
    await opening(subscriber);
    for (const [event, jobId] of [
      ['completed', '1'],
      ['failed', '2'],
      ['mine', '3'],
      ['completed', '2'],
    ] as const) {
      await append(key, 'event', event, 'jobId', jobId);
    }
    const seen = await subscriber.events(2);
    expect(seen.map(({ rawType, jobId }) => [rawType, jobId])).toEqual([
      ['mine', '3'],
      ['completed', '2'],
    ]);
    await subscriber.leave();
  });

  it('resumes after a cursor, which is not sent again', async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const ids: (string | null)[] = [];
    for (let i = 0; i < 5; i++) ids.push(await append(key, 'event', 'waiting', 'jobId', String(i)));
    const subscriber = subscribe(service(), queue, { resumeAfter: ids[1] ?? '' });
    expect(await opening(subscriber)).toEqual({ cursor: ids[1], oldest: ids[0] });
    expect((await subscriber.events(3)).map(({ jobId }) => jobId)).toEqual(['2', '3', '4']);
    await subscriber.leave();
  });

  it('refuses a cursor after which events are gone, and texts that are none', async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const ids: (string | null)[] = [];
    for (let i = 0; i < 5; i++) ids.push(await append(key, 'event', 'waiting', 'jobId', String(i)));
    await used.redis.client.xtrim(key, 'MAXLEN', 2);
    const trimmed = subscribe(service(), queue, { resumeAfter: ids[0] ?? '' });
    expect(await refused(trimmed.next())).toEqual({
      code: 'OUT_OF_RANGE',
      reason: 'EVENT_CURSOR_TRIMMED',
      metadata: { oldestId: ids[3] },
    });
    for (const resumeAfter of ['x', '1', '1-', '-1-0', '1-0-0', `${'9'.repeat(40)}-0`]) {
      const bad = subscribe(service(), queue, { resumeAfter });
      expect(await refused(bad.next())).toMatchObject({
        reason: 'INVALID_FIELD',
        metadata: { field: 'resume_after' },
      });
    }
    for (const part of [{ maxBatch: 1_001 }, { minKeepalive: { seconds: 0, nanos: 1e6 } }]) {
      const bad = subscribe(service(), queue, part);
      expect((await refused(bad.next())).reason).toBe('INVALID_FIELD');
    }
  });

  it('T084 missed completions: tells a slow subscriber what was trimmed, goes on, and keeps nothing for it', async () => {
    const queue = used.queue();
    const key = queue.key('events');
    const subscriber = subscribe(service(), queue, { maxBatch: 10 });
    await opening(subscriber);
    const ids: (string | null)[] = [];
    const many = async (count: number) => {
      for (let i = 0; i < count; i++) ids.push(await append(key, 'event', 'waiting', 'jobId', '1'));
    };
    await many(15);
    expect(await subscriber.events(1)).toHaveLength(10);
    await many(35);
    await used.redis.client.xtrim(key, 'MAXLEN', 5);
    expect(await subscriber.next()).toEqual({
      $case: 'gap',
      value: { lastSent: ids[9], firstKept: ids[45] },
    });
    expect((await subscriber.events(5)).map(({ id }) => id)).toEqual(ids.slice(45));
    await subscriber.leave();
  });

  it('keeps a message below its limit', async () => {
    const queue = used.queue();
    const engine = await used.another({ limits: { maxResponseBytes: 2_000 } });
    const subscriber = subscribe(engine.services.event, queue, { includePayloads: true });
    await opening(subscriber);
    const value = Buffer.from(`"${'x'.repeat(900)}"`);
    const huge = Buffer.from(`"${'x'.repeat(4_000)}"`);
    for (const returnvalue of [value, value, value, huge]) {
      await append(
        queue.key('events'),
        'event',
        'completed',
        'jobId',
        '1',
        'returnvalue',
        returnvalue,
      );
    }
    const sizes: number[][] = [];
    while (sizes.flat().length < 4) {
      const message = await subscriber.next();
      if (message.$case !== 'batch') continue;
      sizes.push(message.value.events.map((event) => event.returnValue.length));
    }
    // The last one alone is too large, and comes without its result.
    expect(sizes.flat()).toEqual([902, 902, 902, 0]);
    expect(Math.max(...sizes.map((batch) => batch.length))).toBeLessThanOrEqual(2);
    await subscriber.leave();
  });

  it('shows that it lives while nothing happens that is wanted', async () => {
    const queue = used.queue();
    const part = { types: [EventType.FAILED], minKeepalive: { seconds: 1, nanos: 0 } };
    const subscriber = subscribe(service(), queue, part);
    await opening(subscriber);
    let id: string | null = null;
    const noise = setInterval(async () => {
      id = await append(queue.key('events'), 'event', 'waiting', 'jobId', '1');
    }, 50);
    const message = await subscriber.next();
    clearInterval(noise);
    expect(message.$case).toBe('keepalive');
    if (message.$case !== 'keepalive') return;
    // The cursor has gone on, so that a resume does not read it all again.
    expect(message.value.cursor).not.toBe('0-0');
    expect(id).not.toBeNull();
    await subscriber.leave();
  });

  it('gives the same to many subscribers, and ends when the engine drains', async () => {
    const engine = await used.another();
    const queues = [used.queue(), used.queue()];
    const subscribers = queues.flatMap((queue) =>
      Array.from({ length: 20 }, () => subscribe(engine.services.event, queue)),
    );
    await Promise.all(subscribers.map(opening));
    for (const queue of queues) {
      for (let i = 0; i < 10; i++)
        await append(queue.key('events'), 'event', 'waiting', 'jobId', `${i}`);
    }
    const seen = await Promise.all(subscribers.map((subscriber) => subscriber.events(10)));
    for (const events of seen) {
      expect(events.map(({ jobId }) => jobId)).toEqual([...'0123456789']);
    }
    const ends = subscribers.map((subscriber) => refused(subscriber.next()));
    await engine.drain({ timeoutMs: 100 });
    for (const end of await Promise.all(ends)) {
      expect([end.code, end.reason]).toEqual(['UNAVAILABLE', 'GATEWAY_DRAINING']);
    }
    const late = subscribe(engine.services.event, { name: 'q' });
    expect((await refused(late.next())).reason).toBe('GATEWAY_DRAINING');
  });

  it('refuses more streams than it may have', async () => {
    const engine = await used.another({ limits: { maxStreams: 1 } });
    const first = subscribe(engine.services.event, used.queue());
    await opening(first);
    const second = subscribe(engine.services.event, used.queue());
    expect((await refused(second.next())).reason).toBe('TOO_MANY_STREAMS');
    await first.leave();
    const third = subscribe(engine.services.event, used.queue());
    await opening(third);
    await third.leave();
  });
});
