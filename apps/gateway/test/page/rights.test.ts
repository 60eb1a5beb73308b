import { useRedis } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { useGuarded } from './use-guarded.js';

const redis = useRedis();
const guarded = useGuarded(redis);

const denied = (verb: string) => ({
  code: 'PERMISSION_DENIED',
  reason: 'QUEUE_ACCESS_DENIED',
  message: expect.stringContaining(`may not ${verb}`),
});

it('knows nobody without a token of a principal', async () => {
  const without = await guarded.ask(undefined, 'session', {});
  expect([without.status, without.answer.error]).toEqual([
    401,
    expect.objectContaining({ reason: 'CREDENTIALS_MISSING' }),
  ]);
  const foreign = await guarded.ask('nobody', 'show', { queues: {} });
  expect([foreign.status, foreign.answer.error]).toEqual([
    401,
    expect.objectContaining({ reason: 'CREDENTIALS_INVALID' }),
  ]);
  const odd = await guarded.ask('\u00ff', 'session', {});
  expect([odd.status, odd.answer.error]).toEqual([401, foreign.answer.error]);
  expect(guarded.lines.map(({ event }) => event)).not.toContain('internal.error');
  const known = await guarded.ask('reader', 'session', {});
  expect(known.answer).toMatchObject({ name: 'reader', namespace: '', open: false });
});

it('lets a reader see its queues and change none', async () => {
  const mails = redis.freshQueue({ name: 'mails-of-ada' });
  const others = redis.freshQueue({ name: 'others' });
  const state = { meta: { version: 'x' }, failed: { '1': 5 }, jobs: { '1': { finishedOn: 5 } } };
  for (const queue of [mails, others]) await queue.seed(state);
  const before = await mails.read();

  const { answer } = await guarded.ask('reader', 'show', {
    queues: {},
    queue: { queue: mails.name },
    jobs: { queue: others.name, state: 'failed' },
  });
  const { queues, queue, jobs } = answer as {
    [V in 'queues' | 'queue' | 'jobs']: { value: unknown; error: unknown };
  };
  expect(
    (queues.value as { queues: { queue: string }[] }).queues.map(({ queue }) => queue),
  ).toEqual([mails.name]);
  expect(queue.value).toMatchObject({ mayChange: false, counts: { failed: 1 } });
  expect(jobs.error).toEqual(denied('read'));

  const target = { queue: mails.name, jobId: '1' };
  for (const [change, body] of [
    ['retryJob', target],
    ['removeJob', target],
    ['pauseQueue', target],
    ['cleanQueue', { ...target, state: 'JOB_STATE_FAILED' }],
    ['removeScheduler', { queue: mails.name, schedulerId: 's' }],
  ] as const) {
    const refused = await guarded.ask('reader', `change/${change}`, body);
    expect([change, refused.status]).toEqual([change, 403]);
  }
  expect(await mails.read()).toEqual(before);
  const other = await guarded.ask('worker', 'show', {
    jobs: { queue: mails.name, state: 'failed' },
  });
  expect(other.answer.jobs).toEqual({ error: denied('read') });
});

it('lets an administrator change them, and says who did', async () => {
  const queue = redis.freshQueue({ name: 'mails-retried' });
  await queue.seed({
    meta: { version: 'x' },
    failed: { '1': 5 },
    jobs: { '1': { finishedOn: 5, failedReason: 'x' } },
  });
  const body = { queue: queue.name, jobId: '1' };
  expect(await guarded.ask('operator', 'change/retryJob', body)).toEqual({
    status: 200,
    answer: {},
  });
  const after = await queue.read();
  expect([after.wait, after.failed]).toEqual([['1'], undefined]);
  const again = await guarded.ask('operator', 'change/retryJob', body);
  expect([again.status, (again.answer.error as { reason: string }).reason]).toEqual([
    409,
    'JOB_NOT_IN_STATE',
  ]);
  const told = guarded.lines.filter(({ event }) => event.startsWith('dashboard.'));
  expect(told).toContainEqual({
    level: 'info',
    event: 'dashboard.changed',
    facts: expect.objectContaining({ what: 'change.retryJob', principal: 'operator', ...body }),
  });
  expect(told).toContainEqual({
    level: 'info',
    event: 'dashboard.failed',
    facts: expect.objectContaining({
      principal: 'operator',
      reason: 'JOB_NOT_IN_STATE',
      ...body,
    }),
  });
  expect(JSON.stringify(guarded.lines)).not.toContain('token-of-');
});

it('keeps namespaces apart', async () => {
  await redis.freshQueue({ name: 'shared' }).seed({ meta: { version: 'x' } });
  await redis.freshQueue({ name: 'shared', prefix: 'other' }).seed({ meta: { version: 'x' } });
  const body = { queue: 'shared' };
  expect((await guarded.ask('tenant', 'change/pauseQueue', body)).status).toBe(200);
  expect(await redis.client.hexists('other:shared:meta', 'paused')).toBe(1);
  expect(await redis.client.hexists('bull:shared:meta', 'paused')).toBe(0);
});
