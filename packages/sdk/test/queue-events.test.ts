import { collect } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { InvalidRequest, QueueEvents, UnrecoverableError } from '../src/index.js';
import { listenTo, withoutIds } from './event-listeners.js';
import { next, overBoth } from './places.js';

overBoth('QueueEvents', (place) => {
  it('tells a whole life under the names that BullMQ has', async () => {
    const queue = place.queue();
    const { queueEvents, told } = listenTo(queue);
    await queueEvents.waitUntilReady();
    const { id } = await queue.add('good', { n: 1 });
    const worker = place.worker(queue, async (job) => {
      if (job.name === 'bad') throw new UnrecoverableError('never');
      await job.updateProgress({ half: true });
      return { n: 2 };
    });
    await next(worker, 'completed');
    const bad = await queue.add('bad', {}, { attempts: 1 });
    await next(worker, 'failed');
    await told.waitFor(13, 15_000);
    expect(withoutIds(told.items)).toEqual([
      ['added', { jobId: id, name: 'good' }],
      ['waiting', { jobId: id }],
      ['active', { jobId: id, prev: 'waiting' }],
      ['progress', { jobId: id, data: { half: true } }],
      ['completed', { jobId: id, returnvalue: { n: 2 }, prev: 'active' }],
      ['drained'],
      ['added', { jobId: bad.id, name: 'bad' }],
      ['waiting', { jobId: bad.id }],
      ['active', { jobId: bad.id, prev: 'waiting' }],
      ['failed', { jobId: bad.id, failedReason: 'never', prev: 'active' }],
      ['retries-exhausted', { jobId: bad.id, attemptsMade: 1 }],
      ['drained'],
    ]);
    const ids = told.items.slice(1).map((each) => each.at(-1));
    expect(ids.every((each) => /^\d+-\d+$/.test(String(each)))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells what is done to a queue and its jobs', async () => {
    const queue = place.queue();
    const { queueEvents, told } = listenTo(queue);
    await queueEvents.waitUntilReady();
    const began = Date.now();
    const one = await queue.add('x', {}, { jobId: 'one', delay: 60_000 });
    await queue.add('x', {}, { jobId: 'one' });
    await one.remove();
    const unique = { deduplication: { id: 'd' } };
    const first = await queue.add('x', {}, unique);
    await queue.add('x', {}, unique);
    await queue.pause();
    await queue.resume();
    await queue.clean(0, 0, 'waiting');
    await told.waitFor(11, 15_000);
    const list = withoutIds(told.items);
    expect(list).toEqual([
      ['added', { jobId: 'one', name: 'x' }],
      ['delayed', { jobId: 'one', delay: expect.any(Number) }],
      ['duplicated', { jobId: 'one' }],
      ['removed', { jobId: 'one', prev: 'delayed' }],
      ['added', { jobId: first.id, name: 'x' }],
      ['waiting', { jobId: first.id }],
      [
        'deduplicated',
        { jobId: first.id, deduplicationId: 'd', deduplicatedJobId: expect.any(String) },
      ],
      ['paused', {}],
      ['resumed', {}],
      ['cleaned', { count: 1 }],
    ]);
    const [, { delay } = { delay: 0 }] = list[1] as [string, { delay: number }];
    expect(Math.abs(delay - began - 60_000)).toBeLessThan(30_000);
  });

  it('begins with the oldest, after an event, or now', async () => {
    const queue = place.queue();
    await queue.pause();
    await queue.resume();
    const oldest = listenTo(queue, { start: 'oldest' });
    await oldest.told.waitFor(3);
    expect(withoutIds(oldest.told.items)).toEqual([
      ['paused', {}],
      ['resumed', {}],
    ]);
    const paused = String(oldest.told.items[1]?.at(-1));
    const after = listenTo(queue, { start: paused });
    const now = listenTo(queue, { types: ['paused', 'drained'] });
    await now.queueEvents.waitUntilReady();
    await after.told.waitFor(2);
    await queue.resume();
    await queue.pause();
    await now.told.waitFor(2);
    await after.told.waitFor(4);
    expect(withoutIds(now.told.items)).toEqual([['paused', {}]]);
    expect(withoutIds(after.told.items)[0]).toEqual(['resumed', {}]);
  });

  it('leaves payloads out if it is told to, and keeps to some jobs', async () => {
    const queue = place.queue();
    const { queueEvents, told } = listenTo(queue, {
      includePayloads: false,
      types: ['completed'],
      jobIds: ['mine'],
    });
    await queueEvents.waitUntilReady();
    await queue.add('x', {}, { jobId: 'other' });
    await queue.add('x', {}, { jobId: 'mine' });
    place.worker(queue, () => 'big');
    await told.waitFor(2);
    expect(withoutIds(told.items)).toEqual([
      ['completed', { jobId: 'mine', prev: 'active', returnvalue: undefined }],
    ]);
  });

  it('is iterated over, from where it stands, with events told apart by name', async () => {
    const queue = place.queue<unknown, number>();
    const { queueEvents } = listenTo(queue);
    await queueEvents.waitUntilReady();
    const events = queueEvents.events();
    await queue.add('one', {});
    await queue.add('two', {});
    place.worker(queue, (job) => job.name.length);
    const results: unknown[] = [];
    const names: string[] = [];
    for await (const event of events) {
      if (event.event === 'added') names.push(event.name);
      if (event.event === 'completed') {
        expect(event.at).toBeInstanceOf(Date);
        results.push(event.returnvalue);
      }
      if (results.length === 2) break;
    }
    expect([names, results]).toEqual([
      ['one', 'two'],
      [3, 3],
    ]);
    const again: string[] = [];
    for await (const event of queueEvents.events({ start: 'oldest' })) {
      again.push(event.event);
      if (event.event === 'completed') break;
    }
    expect(again.slice(0, 2)).toEqual(['added', 'waiting']);
  });

  it('is not harmed by listeners that throw, and tells each failure once', async () => {
    const queue = place.queue();
    const queueEvents = new QueueEvents(queue.name, queue);
    const errors = collect<Error>('errors');
    const seen = collect<string>('jobs');
    queueEvents.on('error', errors.push);
    queueEvents.on('added', () => {
      throw new Error('from the listener');
    });
    queueEvents.on('added', async () => Promise.reject(new Error('from an async listener')));
    queueEvents.on('added', ({ name }) => seen.push(name));
    await queueEvents.waitUntilReady();
    await queue.addBulk([1, 2, 3].map((n) => ({ name: `${n}`, data: {} })));
    await seen.waitFor(3);
    await errors.waitFor(6);
    expect(seen.items).toEqual(['1', '2', '3']);
    expect(errors.items.map(({ message }) => message)).toEqual(
      Array(6).fill('a listener of "added" failed'),
    );
    await queueEvents.close();
  });

  it('goes on over what a foreign writer stored', async () => {
    const queue = place.queue();
    const { queueEvents, told } = listenTo(queue);
    await queueEvents.waitUntilReady();
    const key = `bull:${queue.name}:events`;
    const write = (...fields: string[]) => place.redis.client.xadd(key, '*', ...fields);
    await write('event', 'completed', 'jobId', '1', 'returnvalue', '{broken');
    await write('event', 'error', 'jobId', '2', 'colour', 'blue');
    await write('event', 'drained');
    await told.waitFor(5);
    expect(withoutIds(told.items)).toEqual([
      ['error'],
      ['completed', { jobId: '1', returnvalue: undefined }],
      ['unknown', { type: 'error', jobId: '2', fields: { colour: 'blue' } }],
      ['drained'],
    ]);
    expect(told.items[1]?.[1]).toMatchObject({ reason: 'PAYLOAD_NOT_JSON' });
  });

  it('T084 missed completions: marks the gap where its cursor was trimmed, and goes on from the oldest', async () => {
    const queue = place.queue();
    await queue.pause();
    const first = listenTo(queue, { start: 'oldest' });
    await first.told.waitFor(2);
    const cursor = String(first.told.items[1]?.at(-1));
    for (let n = 0; n < 3; n += 1) {
      await queue.resume();
      await queue.pause();
    }
    expect(await queue.trimEvents(2)).toBe(5);
    const { told } = listenTo(queue, { start: cursor });
    await told.waitFor(4);
    const names = told.items.map(([name]) => name);
    expect(names).toEqual(['gap', 'ready', 'resumed', 'paused']);
    expect(told.items[0]?.[1]).toEqual({ lastSeen: cursor, firstKept: told.items[2]?.at(-1) });
    const { queueEvents } = first;
    for await (const event of queueEvents.events({ start: cursor })) {
      expect(event).toEqual({ event: 'gap', lastSeen: cursor, firstKept: expect.any(String) });
      break;
    }
  });

  it('ends when it is closed, and with its connection', async () => {
    const queue = place.queue();
    const { queueEvents } = listenTo(queue);
    await queueEvents.waitUntilReady();
    const walk = async () => {
      for await (const _event of queueEvents.events()) throw new Error('nothing happens here');
    };
    const walked = walk();
    await queueEvents.close();
    await walked;
    await expect(queueEvents.waitUntilReady()).rejects.toMatchObject({ reason: 'EVENTS_CLOSED' });
    const other = place.connection();
    const theirs = new QueueEvents(queue.name, { connection: other });
    await theirs.waitUntilReady();
    await other.close();
    await expect(theirs.waitUntilReady()).rejects.toMatchObject({ reason: 'EVENTS_CLOSED' });
  });

  it.each([
    ['start', { start: 'yesterday' }],
    ['types[1]', { types: ['added', 'finished'] as never }],
    ['jobIds[0]', { jobIds: [7] as never }],
  ])('refuses a bad %s by name', (field, options) => {
    const { connection, name } = place.queue();
    const make = () => new QueueEvents(name, { connection, ...options });
    expect(make).toThrow(InvalidRequest);
    expect(make).toThrow(expect.objectContaining({ field }));
    expect(() => new QueueEvents('a:b', { connection })).toThrow(InvalidRequest);
  });
});
