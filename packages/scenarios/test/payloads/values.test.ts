import { InvalidRequest } from '@echomq/sdk';
import { eventually } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { complete, finish, PATIENCE_MS, refusalOf, takeOne, useRig } from '../../src/index.js';

const rig = useRig();
const NONE = Buffer.alloc(0);
const VALUES = ['foo', [1], 5, true, null, {}, { a: { b: ['ü', 1e300, ''] } }, undefined];

describe('values', () => {
  it('T101 empty bytes: no data is {}, no result is null, and a job that has not ended has none', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const request = { queue: queue.name, name: 'x' };
    for (const data of [{ data: NONE }, {}])
      await raw.call('producer', 'addJob', { ...request, ...data });
    const jobs = rig.queue(queue.name);
    for (const id of ['1', '2']) {
      const held = await takeOne(raw, queue.name);
      expect(held.data.toString()).toBe('{}');
      const open = await raw.call('queue', 'getJob', { queue: queue.name, jobId: id });
      expect(open.job?.returnValue.length ?? 0).toBe(0);
      expect(await jobs.getJob(id)).toMatchObject({ data: {}, returnvalue: undefined });
      const end = id === '1' ? { returnValue: NONE } : {};
      await finish(raw, held, { $case: 'complete', value: end as { returnValue: Buffer } });
      const job = await jobs.getJob(id);
      expect([job?.state, job?.returnvalue]).toEqual(['completed', null]);
      expect(await queue.read()).toMatchObject({ [id]: { returnvalue: 'null' } });
    }
  });

  it('T102 result types across languages: each value that one writes the other reads', async () => {
    const raw = rig.raw();
    const written = rig.freshQueue();
    const jobs = rig.queue<unknown, unknown>(written.name);
    for (const value of VALUES) {
      const { id } = await jobs.add('x', {});
      await finish(
        raw,
        await takeOne(raw, written.name),
        value === undefined ? { $case: 'complete', value: { returnValue: NONE } } : complete(value),
      );
      expect((await jobs.getJob(id))?.returnvalue).toEqual(value ?? null);
    }
    const worked = rig.freshQueue();
    const data = VALUES.map((value) => ({ value }));
    rig.worker<{ value?: unknown }, unknown>(worked.name, (job) => job.data.value);
    const own = rig.queue<{ value?: unknown }, unknown>(worked.name);
    const ids = (await own.addBulk(data.map((one) => ({ name: 'x', data: one })))).map(
      ({ id }) => id,
    );
    await eventually(
      async () => expect((await worked.read()).completed).toHaveLength(VALUES.length),
      PATIENCE_MS,
    );
    for (const [at, jobId] of ids.entries()) {
      const { job } = await raw.call('queue', 'getJob', { queue: worked.name, jobId });
      expect(JSON.parse(job?.returnValue.toString() || 'null')).toEqual(VALUES[at] ?? null);
    }
  });

  it('T103 BigInt: what JSON cannot hold is refused at the add, by its place, and nothing is stored', async () => {
    const queue = rig.freshQueue();
    const jobs = rig.queue<unknown>(queue.name);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const bad = [{ n: 10n }, { m: new Map() }, { v: Number.NaN }, circle];
    for (const data of bad) {
      await expect(jobs.add('x', data)).rejects.toMatchObject({
        name: 'InvalidRequest',
        reason: 'PAYLOAD_NOT_JSON',
        field: expect.stringMatching(/^data\./),
      });
    }
    expect(await queue.read()).toEqual({});
    const at = new Date(0);
    const { id } = await jobs.add('x', { at });
    expect((await jobs.getJob(id))?.data).toEqual({ at: at.toISOString() });
  });
});

describe('numbers', () => {
  const ODD = [Number.NaN, Number.POSITIVE_INFINITY, -1, '5', 2 ** 53, 1e308, 1.5];

  it.each(['delay', 'priority', 'attempts'])(
    'T075 bad numbers: %s is refused by its name, by the SDK and by the gateway, and nothing is stored',
    async (field) => {
      const queue = rig.freshQueue();
      const jobs = rig.queue(queue.name);
      for (const value of ODD) {
        // A fraction of a millisecond is a span like any other.
        if (field === 'delay' && value === 1.5) continue;
        const error = await jobs
          .add('x', {}, { [field]: value as number })
          .catch((failure: unknown) => failure);
        expect([value, error]).toEqual([value, expect.any(InvalidRequest)]);
        expect([value, (error as InvalidRequest).field]).toEqual([
          value,
          expect.stringContaining(field),
        ]);
      }
      const raw = rig.raw();
      const options = {
        delay: [
          { due: { $case: 'delay', value: { seconds: -1, nanos: 0 } } },
          { due: { $case: 'delay', value: { seconds: 1, nanos: 2_000_000_000 } } },
        ],
        priority: [{ priority: 2_097_152 }, { priority: 4_294_967_295 }],
        attempts: [{ attempts: 4_294_967_295 }],
      }[field] as object[];
      for (const option of options) {
        const refused = await raw
          .call('producer', 'addJob', { queue: queue.name, name: 'x', options: option })
          .then(
            () => 'taken',
            () => 'refused',
          );
        if (field === 'attempts') continue;
        expect([option, refused]).toEqual([option, 'refused']);
        const why = await refusalOf(
          raw.call('producer', 'addJob', { queue: queue.name, name: 'x', options: option }),
        );
        expect([why.status, why.metadata.field]).toEqual([
          'INVALID_ARGUMENT',
          expect.stringContaining(field),
        ]);
      }
      if (field !== 'attempts') expect(await queue.read()).toEqual({});
    },
  );

  it('T100 64-bit integers: times and counts that no number holds exactly are refused by name, the others are exact', async () => {
    const queue = rig.freshQueue();
    const jobs = rig.queue(queue.name);
    for (const delay of [2 ** 53, 2 ** 53 + 2, Number(2n ** 63n - 1n)]) {
      await expect(jobs.add('x', {}, { delay })).rejects.toMatchObject({ field: 'opts.delay' });
    }
    await expect(jobs.add('x', {}, { runAt: new Date(8.64e15) })).rejects.toBeInstanceOf(
      InvalidRequest,
    );
    expect(await queue.read()).toEqual({});
    const runAt = new Date('9999-12-31T23:59:59.999Z');
    const { id } = await jobs.add('x', {}, { runAt });
    const job = await jobs.getJob(id);
    expect(job?.state).toBe('delayed');
    const state = await queue.read();
    const [[member, score] = ['', 0]] = state.delayed as [string, number][];
    expect([member, Math.floor(score / 4_096)]).toEqual([id, runAt.getTime()]);
    // Counters are exact up to 2^53.
    await rig.redis.client.set(queue.key('id'), `${2 ** 53 - 2}`);
    const last = await jobs.add('x', {});
    expect(last.id).toBe(`${2 ** 53 - 1}`);
    expect((await jobs.getJob(last.id))?.id).toBe(last.id);
  });
});
