import { describe, expect, it } from 'vitest';
import {
  add,
  checkBooks,
  complete,
  finish,
  RawError,
  refusalOf,
  takeOne,
  useRig,
} from '../../src/index.js';
import { node } from '../flows/family.js';

const rig = useRig();

/** What an add of such an id comes to: its reason where it is refused. */
async function fateOf(adding: Promise<unknown>): Promise<string> {
  try {
    await adding;
    return 'accepted';
  } catch (error) {
    if (error instanceof RawError) return `${error.status} ${error.reason}`;
    throw error;
  }
}

const REFUSED = 'INVALID_ARGUMENT CUSTOM_JOB_ID_INVALID';
let names = 0;

describe('names of queues', () => {
  it.each(['{', '}', '{}', '}{', 'a{b}', '{a', 'a}', '{a}b', '{{a}}', '{a}{b}'])(
    'T043 braces in names: %s is refused with its field before anything is written',
    async (name) => {
      const raw = rig.raw();
      const refused = await refusalOf(add(raw, name));
      expect([refused.status, refused.metadata.field]).toEqual(['INVALID_ARGUMENT', 'queue']);
      expect(await rig.redis.client.keys(`bull:${name.replace(/[[\]]/g, '')}:*`)).toEqual([]);
    },
  );

  it('T043 braces in names: around the whole name they work, and in ids anywhere', async () => {
    const raw = rig.raw();
    names += 1;
    const name = `{tagged-${names}}`;
    for (const jobId of ['{', '}', '{}', '}{', 'a{b}', '{x}y']) {
      await add(raw, name, { jobId });
      const job = await takeOne(raw, name);
      expect(job.lease.jobId).toBe(jobId);
      await finish(raw, job, complete());
    }
  });
});

describe('ids of jobs', () => {
  it.each([
    ['123', REFUSED],
    ['0', REFUSED],
    ['-7', REFUSED],
    ['9007199254740993', REFUSED],
    ['99999999999999999999999999', REFUSED],
    ['00123', 'accepted'],
    ['1e3', 'accepted'],
    ['0x10', 'accepted'],
    ['1.0', 'accepted'],
  ])(
    'T045 numeric ids: %s is %s; what is accepted comes back byte for byte',
    async (jobId, fate) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      expect(await fateOf(add(raw, queue.name, { jobId }))).toBe(fate);
      if (fate !== 'accepted') return expect(await queue.read()).toEqual({});
      const job = await takeOne(raw, queue.name);
      expect(job.lease.jobId).toBe(jobId);
      await finish(raw, job, complete());
      const { job: stored } = await raw.call('queue', 'getJob', { queue: queue.name, jobId });
      expect(stored?.jobId).toBe(jobId);
      const sdk = await rig.queue(queue.name).getJob(jobId);
      expect(sdk?.id).toBe(jobId);
    },
  );

  it.each([
    ['x', 'accepted'],
    ['a:b', REFUSED],
    ['a:b:c', 'accepted'],
    ['a:b:c:d', REFUSED],
    ['a:b:c:d:e', REFUSED],
  ])('T046 colons in ids: %s is %s, as a job, in a bulk and in a flow', async (jobId, fate) => {
    const [one, bulk, flow] = [rig.freshQueue(), rig.freshQueue(), rig.freshQueue()];
    const raw = rig.raw();
    expect(await fateOf(add(raw, one.name, { jobId }))).toBe(fate);
    const item = { name: 'x', data: Buffer.from('{}'), options: { jobId } };
    expect(await fateOf(raw.call('producer', 'addJobs', { queue: bulk.name, items: [item] }))).toBe(
      fate,
    );
    const root = node(flow.name, 'root', {}, [node(flow.name, jobId)]);
    expect(await fateOf(raw.call('producer', 'addFlow', { root }))).toBe(fate);
    for (const queue of [one, bulk, flow]) {
      const state = await queue.read();
      if (fate !== 'accepted') expect(state).toEqual({});
      else expect(state.wait).toEqual([jobId]);
    }
    if (fate !== 'accepted') return;
    // The child's end finds its parent, colons and all.
    await finish(raw, await takeOne(raw, flow.name), complete());
    expect((await takeOne(raw, flow.name)).lease.jobId).toBe('root');
  });

  it('T047 id collision with counter: ids that a raw writer took are gone round', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const own = Array.from({ length: 100 }, (_, n) => `${n + 1}`);
    for (const jobId of ['1', '57', '100']) {
      expect(await fateOf(add(raw, queue.name, { jobId }))).toBe(REFUSED);
    }
    await queue.seed({ wait: own, jobs: Object.fromEntries(own.map((id) => [id, { data: id }])) });
    const added = new Set<string>();
    for (let n = 0; n < 100; n += 1) added.add(await add(raw, queue.name));
    const items = Array.from({ length: 100 }, () => ({ name: 'x', data: Buffer.from('{}') }));
    const { results } = await raw.call('producer', 'addJobs', { queue: queue.name, items });
    for (const { result } of results) if (result?.$case === 'added') added.add(result.value.jobId);
    expect(added.size).toBe(200);
    const state = await queue.read();
    expect(checkBooks(state, { accepted: [...own, ...added] })).toEqual([]);
    expect(own.map((id) => (state[id] as Record<string, string>).data)).toEqual(own);
  });
});

describe('texts that bite', () => {
  const TEXTS = [
    'nul \u0000 inside',
    'emoji 👩‍👩‍👧 and 4-byte 𝌆',
    'right to left \u202e\u0627\u0644',
    'line\u2028sep\u2029 \r\n\t"\\/',
    '\ud83d',
  ];

  it('T049 control characters: JSON text comes back byte for byte, in data, result, error and progress', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    for (const text of TEXTS) {
      const json = Buffer.from(JSON.stringify({ [text]: text }));
      const { jobId } = await raw.call('producer', 'addJob', {
        queue: queue.name,
        name: 'x',
        data: json,
      });
      const job = await takeOne(raw, queue.name);
      expect(job.data.equals(json)).toBe(true);
      await finish(
        raw,
        job,
        { $case: 'complete', value: { returnValue: json } },
        { progress: json },
      );
      const { job: stored } = await raw.call('queue', 'getJob', { queue: queue.name, jobId });
      expect([stored?.returnValue, stored?.progress].map((bytes) => bytes?.equals(json))).toEqual([
        true,
        true,
      ]);
    }
    // Escapes of JSON as a producer wrote them, lone surrogates among them, stay as they are.
    const escaped = Buffer.from('{"a":"\\ud800\\u0000","b":1.50,"a":2}');
    await raw.call('producer', 'addJob', { queue: queue.name, name: 'x', data: escaped });
    const job = await takeOne(raw, queue.name);
    expect(job.data.equals(escaped)).toBe(true);
    await finish(raw, job, complete());
  });

  it('T049 control characters: bytes that are no text are refused at add, and delivered where a peer left them', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const broken = Buffer.from([0x22, 0xff, 0xfe, 0x00, 0x22]);
    const refused = await refusalOf(
      raw.call('producer', 'addJob', { queue: queue.name, name: 'x', data: broken }),
    );
    expect([refused.status, refused.reason]).toEqual(['INVALID_ARGUMENT', 'PAYLOAD_NOT_JSON']);
    await queue.seed({ wait: ['left'], jobs: { left: {} } });
    await rig.redis.client.hset(queue.key('left'), 'data', broken);
    const job = await takeOne(raw, queue.name);
    expect(job.data.equals(broken)).toBe(true);
    await finish(raw, job, complete());
    expect(checkBooks(await queue.read(), { accepted: ['left'], atRest: true })).toEqual([]);
  });
});
