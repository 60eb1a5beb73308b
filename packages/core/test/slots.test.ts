import { describe, expect, it } from 'vitest';
import { addBatch, addJob, addJobs, type NewJob, type Receipt } from '../src/index.js';
import { META, NOW, type TestQueue, useStore } from './use-store.js';

const used = useStore();
const JOB: NewJob = { name: 'send', data: '1', opts: '{}', timestamp: NOW };

/** The slot `field` of a caller, for its call with that number. */
function slot({ keys }: TestQueue, field: string, seq: number): Receipt {
  return { key: keys.sessionReceipts('s'), field, digest: '', ttl: 120_000, seq };
}

const SLOTS = 'meta:rcpt:s';

/** The ways by which one job is added. */
const WAYS = [
  ['alone', (q: TestQueue, job: NewJob) => addJob(used.store, q.keys, job)],
  [
    'in a batch',
    async (q: TestQueue, job: NewJob) => (await addBatch(used.store, q.keys, [job]))[0],
  ],
  [
    'as a whole',
    async (q: TestQueue, { receipt, ...job }: NewJob) =>
      (await addJobs(used.store, q.keys, [job], receipt ? { receipt } : {}))[0],
  ],
] as const;

describe.each(WAYS)('a slot, %s', (way, add) => {
  const answer = '"1"';

  it('keeps the answer of the last call, for a time', async () => {
    const queue = used.queue();
    await add(queue, { ...JOB, receipt: slot(queue, '0', 4) });
    const kept = way === 'as a whole' ? `[${answer}]` : answer;
    expect((await queue.read())[SLOTS]).toEqual({ 0: `4 ${kept}` });
    expect((await queue.readTtls())[SLOTS]).toBeGreaterThan(100_000);
    await add(queue, { ...JOB, receipt: slot(queue, '0', 5) });
    const { wait, [SLOTS]: slots } = await queue.read();
    expect(wait).toEqual(['2', '1']);
    expect(slots).toEqual({ 0: `5 ${kept.replace('1', '2')}` });
  });

  it('answers a call that comes again as the first, without a change', async () => {
    const queue = used.queue();
    const job = { ...JOB, receipt: slot(queue, '3', 7) };
    const first = await add(queue, job);
    const before = await queue.read();
    expect(await add(queue, job)).toEqual({ ...first, replayed: true });
    expect(await queue.read()).toEqual(before);
  });

  it('refuses a call that comes after a later one', async () => {
    const queue = used.queue();
    await add(queue, { ...JOB, receipt: slot(queue, '0', 9) });
    const before = await queue.read();
    const late = await add(queue, { ...JOB, receipt: slot(queue, '0', 8) }).catch((e) => e);
    expect(late).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
    expect(await queue.read()).toEqual(before);
  });
});

it('a batch keeps the answer of each job in a slot of its own, a refused one in none', async () => {
  const queue = used.queue();
  const orphan = { key: queue.key('gone'), json: '{}' };
  const jobs: NewJob[] = [
    { ...JOB, receipt: slot(queue, '0', 1) },
    { ...JOB, receipt: slot(queue, '1', 2), parent: orphan },
    { ...JOB, receipt: slot(queue, '2', 3), delay: 5 },
    JOB,
  ];
  const first = await addBatch(used.store, queue.keys, jobs);
  const dump = await queue.read();
  expect(dump[SLOTS]).toEqual({ 0: '1 "1"', 2: '3 ["2","created","delayed",""]' });
  const again = await addBatch(used.store, queue.keys, jobs.slice(0, 3));
  expect(again).toEqual([
    { ...first[0], replayed: true },
    expect.objectContaining({ reason: 'PARENT_JOB_NOT_FOUND' }),
    { ...first[2], replayed: true },
  ]);
  expect(await queue.read()).toEqual(dump);
});

it.each(['addBatch', 'addJobs'] as const)(
  '%s passes over the numbers under which somebody else has stored jobs, as adds one by one do',
  async (way) => {
    const [one, all] = [used.queue(`one-${way}`), used.queue(`all-${way}`)];
    for (const queue of [one, all]) {
      await queue.seed({ meta: META, id: 4, jobs: { 6: {}, 7: {}, 10: {} } });
    }
    const jobs = new Array(5).fill(JOB);
    for (const job of jobs) await addJob(used.store, one.keys, job);
    if (way === 'addJobs') await addJobs(used.store, all.keys, jobs);
    else await addBatch(used.store, all.keys, jobs);
    const [{ id, ...singly }, { id: counter, ...batched }] = [await one.read(), await all.read()];
    expect(batched.wait).toEqual(['12', '11', '9', '8', '5'].sort((a, b) => Number(b) - Number(a)));
    expect(batched).toEqual(singly);
    expect(counter).toEqual(id);
  },
);
