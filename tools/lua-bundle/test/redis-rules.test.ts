import { describe, expect, test } from 'vitest';
import { edited, GOOD, problemsOf } from './fixture.js';

const TAKE = 'lua/transitions/takeJob-3.lua';
const QUERY = 'lua/queries/getLock-1.lua';
const KEYS = 'lua/lib/keys.lua';

describe('a query that writes', () => {
  const query = (call: string) =>
    problemsOf(edited(QUERY, "redis.call('GET', lockKey(job))", `${call} or lockKey(job)`));
  test('by a command of its own', () => {
    expect(query("redis.call('DEL', job)")).toEqual([
      `${QUERY}:7: the query getLock-1 calls DEL: it may only read`,
    ]);
  });
  test('by redis.pcall, in small letters', () => {
    expect(query("redis.pcall('hset', job, 'a', 1)")).toEqual([
      `${QUERY}:7: the query getLock-1 calls HSET: it may only read`,
    ]);
  });
  test('by a command that is not written out', () => {
    expect(query('redis.call(job, job)')).toEqual([
      `${QUERY}:7: the query getLock-1 calls a command that is not written out: it may only read`,
    ]);
  });
  test('through a lib', () => {
    const files = edited(KEYS, "return job .. ':lock'", "return redis.call('INCR', job)");
    expect(problemsOf(files)).toEqual([
      `${KEYS}:5: the query getLock-1 calls INCR: it may only read`,
    ]);
  });
  test('but not for a writing function of a lib that it never comes to', () => {
    const files = edited(
      KEYS,
      '--- The lock',
      "local function drop(k) redis.call('DEL', k) end\n---",
    );
    const used = (files[TAKE] ?? '').replace('return jobId', 'drop(job)\nreturn jobId');
    expect(problemsOf({ ...files, [TAKE]: used })).toEqual([]);
  });
});

describe('.. on a score', () => {
  const take = (call: string) => problemsOf(edited(TAKE, 'return jobId', `${call}\nreturn jobId`));
  const refused = (command: string, line = 29) => [
    `${TAKE}:${line}: ${command} with .. on a score: .. prints 14 digits, pass a number`,
  ];
  const calls: readonly [call: string, command: string][] = [
    ["redis.call('ZADD', job, now .. '', jobId)", 'ZADD'],
    ["redis.call('zadd', job, 'XX', 'CH', '' .. now, jobId)", 'ZADD'],
    ["redis.call('ZADD', job, 1, 'a', (now .. '0'), 'b')", 'ZADD'],
    ["redis.call('ZINCRBY', job, now .. '', jobId)", 'ZINCRBY'],
    ["redis.call('ZRANGEBYSCORE', job, 0, '(' .. now)", 'ZRANGEBYSCORE'],
    ["redis.call('ZREMRANGEBYSCORE', job, '(' .. now, '+inf')", 'ZREMRANGEBYSCORE'],
    ["redis.call('ZRANGE', job, 0, '(' .. now, 'BYSCORE')", 'ZRANGE'],
  ];
  test.each(calls)('%s', (call, command) => expect(take(call)).toEqual(refused(command)));
  test('through a local', () => {
    expect(take("local max = '(' .. now\nredis.call('ZCOUNT', job, 0, max)")).toEqual(
      refused('ZCOUNT', 30),
    );
  });
  test('but not on a key or a member', () => {
    expect(take("redis.call('ZADD', job .. ':x', 1, 'm' .. jobId)")).toEqual([]);
    expect(problemsOf(GOOD)).toEqual([]);
  });
});
