import { AddFlowRequest, AddJobRequest, AddJobsRequest, AddMode } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../src/service.js';
import { useEngine } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';

const used = useEngine();
const producer = () => used.engine.services.producer;
const named = (principal: string): CallContext => ({ ...patient, principal });

function addJob(queue: string, more: object = {}, context: CallContext = patient) {
  const request = AddJobRequest.fromPartial({ queue, name: 'n', requestId: 'r1', ...more });
  return producer().addJob(frozen(request), context);
}

describe('AddJob with a request_id', () => {
  test('adds once, and answers as the first time, on whichever engine it comes again', async () => {
    const queue = used.queue();
    const first = await addJob(queue.name);
    expect(first).toMatchObject({ jobId: '1', replayed: false });
    const another = await used.another();
    const request = AddJobRequest.fromPartial({ queue: queue.name, name: 'n', requestId: 'r1' });
    const again = await another.services.producer.addJob(request, patient);
    expect(again).toEqual({ ...first, replayed: true });
    expect((await queue.read()).wait).toEqual(['1']);
  });

  test('is another request by another caller, and with another id', async () => {
    const queue = used.queue();
    const calls = [
      addJob(queue.name),
      addJob(queue.name, { requestId: 'r2' }),
      addJob(queue.name, {}, named('alice')),
      addJob(queue.name, {}, named('bob')),
    ];
    const ids = (await Promise.all(calls)).map(({ jobId }) => jobId);
    expect(new Set(ids).size).toBe(4);
  });

  test('refuses another body under the same id, and adds nothing', async () => {
    const queue = used.queue();
    await addJob(queue.name);
    const before = await queue.read();
    expect(await refused(addJob(queue.name, { data: Buffer.from('1') }))).toMatchObject({
      code: 'ABORTED',
      reason: 'REQUEST_ID_REUSED',
      metadata: { queue: queue.name },
    });
    expect(await queue.read()).toEqual(before);
  });

  test('knows its body whatever the order of a map', async () => {
    const queue = used.queue();
    const headers = (...names: string[]) => ({
      options: { headers: Object.fromEntries(names.map((name) => [name, 'x'])) },
    });
    await addJob(queue.name, headers('b', 'a', '__proto__x'));
    expect(await addJob(queue.name, headers('__proto__x', 'a', 'b'))).toMatchObject({
      replayed: true,
    });
  });

  test('adds once, many times at once', async () => {
    const queue = used.queue();
    const another = await used.another();
    const request = AddJobRequest.fromPartial({ queue: queue.name, name: 'n', requestId: 'r' });
    const calls = [used.engine, another, used.engine, another].map(({ services }) =>
      services.producer.addJob(request, patient),
    );
    const answers = await Promise.all(calls);
    expect(answers.map(({ jobId }) => jobId)).toEqual(['1', '1', '1', '1']);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test.each([['x'.repeat(65)], ['ü'.repeat(65)], ['\ud800']])(
    'must not have more than 64 characters: %j',
    async (requestId) => {
      const queue = used.queue();
      expect(await refused(addJob(queue.name, { requestId }))).toMatchObject({
        reason: 'INVALID_FIELD',
        metadata: { field: 'request_id' },
      });
      await addJob(queue.name, { requestId: 'ü'.repeat(64) });
    },
  );

  test('leaves nothing without an id', async () => {
    const queue = used.queue();
    await addJob(queue.name, { requestId: '' });
    await addJob(queue.name, { requestId: '' });
    expect(Object.keys(await queue.read()).filter((key) => key.startsWith('meta:'))).toEqual([]);
  });
});

describe('AddJobs with a request_id', () => {
  const bulk = (queue: string, more: object = {}) =>
    producer().addJobs(
      frozen(
        AddJobsRequest.fromPartial({
          queue,
          items: [{ name: 'a' }, { name: 'b', options: { priority: 1 } }],
          requestId: 'r1',
          ...more,
        }),
      ),
      patient,
    );

  test.each([AddMode.ATOMIC, AddMode.PER_ITEM])('adds once, in mode %s', async (mode) => {
    const queue = used.queue();
    const first = await bulk(queue.name, { mode });
    const before = await queue.read();
    expect(first.duplicateRequest).toBe(false);
    expect(await bulk(queue.name, { mode })).toEqual({ ...first, duplicateRequest: true });
    expect(await queue.read()).toEqual(before);
    expect(before.id).toBe('2');
  });

  test.each([AddMode.ATOMIC, AddMode.PER_ITEM])(
    'refuses another body, also one with more items, in mode %s',
    async (mode) => {
      const queue = used.queue();
      await bulk(queue.name, { mode });
      const before = await queue.read();
      const items = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
      expect(await refused(bulk(queue.name, { mode, items }))).toMatchObject({
        reason: 'REQUEST_ID_REUSED',
      });
      expect(await queue.read()).toEqual(before);
    },
  );

  test('adds per item what the first call did not come to', async () => {
    const [one, two] = [used.queue(), used.queue()];
    const items = [
      { name: 'a', queue: one.name },
      { name: 'b', queue: two.name },
    ];
    const mode = AddMode.PER_ITEM;
    await bulk('', { items, mode });
    const keys = Object.keys(await two.read()).filter((key) => key.startsWith('meta:req:'));
    await used.redis.client.del(...[...keys, '1', 'wait'].map((key) => two.base + key));
    expect(await bulk('', { items, mode })).toMatchObject({ duplicateRequest: true });
    expect((await one.read()).id).toBe('1');
    expect((await two.read()).wait).toEqual(['2']);
  });
});

describe('AddFlow with a request_id', () => {
  const flow = (queue: string, more: object = {}) => {
    const root = { queue, name: 'root', children: [{ queue, name: 'leaf' }], ...more };
    const request = AddFlowRequest.fromPartial({ root, requestId: 'r1' });
    return producer().addFlow(frozen(request), patient);
  };

  test('adds the tree once, and answers with the same ids', async () => {
    const queue = used.queue();
    const first = await flow(queue.name);
    const before = await queue.read();
    expect(await flow(queue.name)).toEqual({ ...first, replayed: true });
    expect(await queue.read()).toEqual(before);
    const other = flow(queue.name, { name: 'other' });
    expect(await refused(other)).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
  });
});
