import { describe, expect, it } from 'vitest';
import { NOW, useStore } from '../../test/use-store.js';
import { getJob, getJobInState, getJobSummary } from './getJob.js';

const used = useStore();
const WHOLE = {
  name: 'send',
  data: { a: 1 },
  opts: { attempts: 3 },
  timestamp: NOW,
  delay: 5,
  priority: 6,
  atm: 1,
  ats: 2,
  stc: 3,
  parentKey: 'bull:p:1',
  parent: { id: '1' },
  rjk: 'nightly',
  deid: 'd',
  defa: 'deferred',
  processedOn: NOW + 1,
  finishedOn: NOW + 2,
  pb: 'w',
  progress: { at: 1 },
  returnvalue: { b: 2 },
  failedReason: 'boom',
  stacktrace: ['s'],
  unknown: 'field',
};
const SUMMARY = {
  id: 'j',
  name: 'send',
  opts: Buffer.from('{"attempts":3}'),
  timestamp: NOW,
  delay: 5,
  priority: 6,
  attemptsMade: 1,
  attemptsStarted: 2,
  stalledCount: 3,
  parentKey: 'bull:p:1',
  parent: Buffer.from('{"id":"1"}'),
  schedulerId: 'nightly',
  deduplicationId: 'd',
  deferredFailure: 'deferred',
  processedOn: NOW + 1,
  finishedOn: NOW + 2,
  processedBy: 'w',
  failedReason: 'boom',
};

describe('getJob', () => {
  it('reads every field, and the bodies byte for byte', async () => {
    const queue = used.queue();
    await queue.seed({ jobs: { j: WHOLE } });
    expect(await getJob(used.store, queue.keys, 'j')).toEqual({
      ...SUMMARY,
      data: Buffer.from('{"a":1}'),
      progress: Buffer.from('{"at":1}'),
      returnValue: Buffer.from('{"b":2}'),
      stackTrace: Buffer.from('["s"]'),
    });
    const bytes = Buffer.from([0, 0xff, 0x80]);
    await used.redis.client.hset(queue.key('j'), 'data', bytes);
    expect((await getJob(used.store, queue.keys, 'j'))?.data).toEqual(bytes);
  });

  it('fills in what a hash lacks, and takes numbers that are none for 0', async () => {
    const queue = used.queue();
    await used.redis.client.hset(queue.key('j'), { ats: '1', timestamp: 'now', atm: 'nan' });
    const job = await getJob(used.store, queue.keys, 'j');
    expect(job).toEqual({
      id: 'j',
      name: '',
      data: Buffer.from('{}'),
      opts: Buffer.from('{}'),
      timestamp: 0,
      delay: 0,
      priority: 0,
      attemptsMade: 0,
      attemptsStarted: 1,
      stalledCount: 0,
    });
  });

  it('finds no job where there is no hash', async () => {
    expect(await getJob(used.store, used.queue().keys, 'j')).toBeUndefined();
  });
});

describe('getJobSummary', () => {
  it('leaves the bodies out', async () => {
    const queue = used.queue();
    await queue.seed({ jobs: { j: WHOLE } });
    expect(await getJobSummary(used.store, queue.keys, 'j')).toEqual({
      ...SUMMARY,
      data: Buffer.from('{}'),
    });
  });

  it('finds no job where there is no hash', async () => {
    expect(await getJobSummary(used.store, used.queue().keys, 'j')).toBeUndefined();
  });
});

describe('getJobInState', () => {
  it('reads fields and state at one instant', async () => {
    const queue = used.queue();
    const { keys } = queue;
    const { store } = used;
    await queue.seed({ jobs: { j: WHOLE }, completed: { j: NOW } });
    const whole = await getJobInState(store, keys, 'j');
    expect(whole).toEqual({ state: 'completed', job: await getJob(store, keys, 'j') });
    const summary = await getJobInState(store, keys, 'j', true);
    expect(summary).toEqual({ state: 'completed', job: await getJobSummary(store, keys, 'j') });
  });

  it('finds no job that is not there', async () => {
    const { keys } = used.queue();
    const { store } = used;
    expect(await getJobInState(store, keys, 'none')).toBeUndefined();
    expect(await getJobInState(store, keys, 'none', true)).toBeUndefined();
  });
});
