import { request } from 'node:http';
import { EchoMQError } from '@echomq/core';
import { expect, it, vi } from 'vitest';
import { RateBound } from '../src/http/rate-bound.js';
import { serving } from './serving.js';

it('sends the page with a policy that lets nothing in but its own files', async () => {
  const { url } = await serving();
  const page = await fetch(`${url}/`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<div id="root">');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${url}/../package.json`)).status).toBe(404);
});

it('answers nobody without credentials that count, and says which are wanted', async () => {
  const pauseQueue = vi.fn();
  const at = await serving({ queue: { pauseQueue } });
  for (const authorization of [undefined, 'Bearer bad']) {
    const { status, header, answer } = await at.ask('change/pauseQueue', {}, { authorization });
    expect(status).toBe(401);
    expect(header('www-authenticate')).toBe('Bearer');
    expect(answer.error).toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  }
  expect(pauseQueue).not.toHaveBeenCalled();
  expect(at.ended.map(({ caller, code }) => [caller, code])).toEqual([
    [undefined, 'UNAUTHENTICATED'],
    [undefined, 'UNAUTHENTICATED'],
  ]);
});

it.each([
  ['its header', { 'x-echomq-dashboard': undefined }],
  ['the type of JSON', { 'content-type': 'text/plain' }],
  ['being of the same origin', { 'sec-fetch-site': 'cross-site' }],
  ['being of the same origin, but a sister', { 'sec-fetch-site': 'same-site' }],
])('takes no request without %s', async (_, headers) => {
  const pauseQueue = vi.fn();
  const at = await serving({ queue: { pauseQueue } });
  expect((await at.ask('change/pauseQueue', { queue: 'q' }, headers)).status).toBe(403);
  expect(pauseQueue).not.toHaveBeenCalled();
});

it('changes nothing by GET', async () => {
  const at = await serving();
  const headers = { authorization: 'Bearer good', connection: 'close' };
  expect((await fetch(`${at.url}/api/change/pauseQueue`, { headers })).status).toBe(405);
});

it('answers to its own names alone where it asks for no credentials', async () => {
  const { url } = await serving({}, { hosts: new Set(['127.0.0.1']) });
  expect((await fetch(`${url}/`)).status).toBe(200);
  const status = await new Promise((resolve, reject) => {
    request(`${url}/`, { headers: { host: 'evil.example:80' }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(403);
});

it('refuses bodies that are too large, no JSON or no object', async () => {
  const at = await serving();
  expect((await at.ask('show', 'x'.repeat(20_000))).status).toBe(413);
  for (const body of ['{', '[]', 'null', '7'])
    expect((await at.ask('show', body)).status).toBe(400);
  expect((await at.ask('show', { nothing: {} })).status).toBe(400);
  expect((await at.ask('show', { toString: {} })).status).toBe(400);
  expect((await at.ask('show', { jobs: 3 })).status).toBe(400);
});

it('makes the calls of the contract, with their messages', async () => {
  const cleanQueue = vi.fn(async () => ({ jobIds: ['1', '2'], count: 2, more: true }));
  const at = await serving({ queue: { cleanQueue } });
  const olderThan = { seconds: 60 };
  const body = { queue: 'mails', state: 'JOB_STATE_FAILED', olderThan, limit: 10 };
  const { status, answer } = await at.ask('change/cleanQueue', body);
  expect([status, answer]).toEqual([200, { jobIds: ['1', '2'], count: 2, more: true }]);
  expect(cleanQueue).toHaveBeenCalledExactlyOnceWith(
    { queue: 'mails', state: 7, olderThan: { seconds: 60, nanos: 0 }, limit: 10 },
    { signal: expect.any(AbortSignal), deadline: expect.any(Number) },
  );
  const told = { what: 'change.cleanQueue', queue: 'mails', caller: 'ada' };
  expect(at.ended).toEqual([expect.objectContaining(told)]);
  expect((await at.ask('change/obliterateQueue', { queue: 'mails' })).status).toBe(404);
  expect((await at.ask('change/constructor', {})).status).toBe(404);
});

it.each([
  ['PERMISSION_DENIED', 'QUEUE_ACCESS_DENIED', 403],
  ['NOT_FOUND', 'JOB_NOT_FOUND', 404],
  ['FAILED_PRECONDITION', 'JOB_NOT_IN_STATE', 409],
  ['UNAVAILABLE', 'REDIS_UNAVAILABLE', 503],
] as const)('tells %s with its reason', async (code, reason, status) => {
  const retryJob = async () => {
    throw new EchoMQError('why', { code, reason });
  };
  const at = await serving({ queue: { retryJob } });
  const refused = await at.ask('change/retryJob', { queue: 'q', jobId: '1' });
  expect(refused.status).toBe(status);
  expect(refused.answer.error).toEqual({ code, reason, message: 'why' });
});

it('keeps the text of a bug to itself', async () => {
  const retryJob = async () => {
    throw new Error('bull:q:1 is odd');
  };
  const at = await serving({ queue: { retryJob } });
  const { status, answer } = await at.ask('change/retryJob', {});
  expect(status).toBe(500);
  expect(JSON.stringify(answer)).not.toContain('bull:q:1');
  expect(at.bugs).toEqual([new Error('bull:q:1 is odd')]);
});

it('bounds how often one may ask', () => {
  let now = 0;
  const bound = new RateBound({ perSecond: 10, burst: 3 }, () => now);
  for (let time = 0; time < 3; time++) bound.take('ada');
  expect(() => bound.take('ada')).toThrow(/more than 10 requests a second/);
  bound.take('grace');
  now += 100;
  bound.take('ada');
  expect(() => bound.take('ada')).toThrow();
});

it('bounds requests of one caller', async () => {
  const at = await serving();
  const asked = Array.from({ length: 130 }, () => at.ask('session', {}));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(100);
  const [refused] = (await Promise.all(asked)).filter(({ status }) => status === 429);
  if (refused) expect(refused.header('retry-after')).toBe('1');
});
