import { describe, expect, it } from 'vitest';
import {
  ContractBroken,
  EchoMQError,
  RedisLinkError,
  StoreFull,
  StoreUnavailable,
} from '../src/index.js';
import { translateStoreError } from '../src/store-errors.js';

/** The texts as Redis 7 says them, and as 6.2 wraps an error that a script met. */
const wrapped = (text: string) =>
  `ERR Error running script (call to f_8b1a9953c4611296a827abf8c47804d7bf5b9a4e): @user_script:42: ${text}`;

describe('translateStoreError', () => {
  const REFUSED = [
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'CLUSTERDOWN The cluster is down',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    "NOPERM this user has no permissions to run the 'evalsha' command",
    'NOREPLICAS Not enough good replicas to write.',
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
  ];
  it.each(REFUSED.flatMap((text) => [text, wrapped(`-${text}`)]))(
    'a server that did nothing: %s',
    (text) => {
      const error = translateStoreError(new Error(text), 'pause-3');
      const word = /\b[A-Z]{4,}\b/.exec(text)?.[0];
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect(error).toMatchObject({
        mayHaveApplied: false,
        code: 'UNAVAILABLE',
        reason: 'BACKEND_UNAVAILABLE',
        retryable: true,
        retryAfterMs: 500,
      });
      expect(error.message).toBe(`the store refuses to work (${word})`);
    },
  );

  it.each([
    "OOM command not allowed when used memory > 'maxmemory'.",
    "OOM command not allowed when used memory > 'maxmemory'. script: 1a, on @user_script:3.",
    wrapped("-OOM command not allowed when used memory > 'maxmemory'."),
  ])('a full one: %s', (text) => {
    const error = translateStoreError(new Error(text), 'addStandardJob-9');
    expect(error).toBeInstanceOf(StoreFull);
    expect(error).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'BACKEND_OUT_OF_MEMORY',
      retryable: true,
    });
  });

  it.each([
    'WRONGTYPE Operation against a key holding the wrong kind of value script: 1a, on @user_script:3.',
    wrapped('-WRONGTYPE Operation against a key holding the wrong kind of value'),
    'ERR user_script:12: attempt to index a nil value',
    'ERR unknown command',
  ])('our own fault, of which the caller learns no more than the script: %s', (text) => {
    const error = translateStoreError(new Error(text), 'pause-3');
    expect(error).toBeInstanceOf(ContractBroken);
    expect(error).toMatchObject({
      message: 'pause-3 failed',
      code: 'INTERNAL',
      reason: 'SCRIPT_ERROR',
      retryable: false,
    });
    expect((error.cause as Error).message).toBe(text);
  });

  it.each([
    "CROSSSLOT Keys in request don't hash to the same slot",
    'ERR Script attempted to access a non local key in a cluster node',
    wrapped("-CROSSSLOT Keys in request don't hash to the same slot"),
  ])('keys of several slots: %s', (text) => {
    expect(translateStoreError(new Error(text), 'addJobs-11')).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'CROSS_SLOT',
    });
  });

  it('a user who may run a script but not what is in it: the script may have begun', () => {
    const text = "ERR The user executing the script can't run this command or subcommand";
    for (const said of [text, wrapped(`-NOPERM ${text}`)]) {
      expect(translateStoreError(new Error(said), 'pause-3')).toMatchObject({
        name: 'ContractBroken',
        message: "pause-3 failed: the store's user lacks a permission",
      });
    }
  });

  it('a link that broke under way, and one that was never there', () => {
    const broken = translateStoreError(new RedisLinkError('Connection is closed.', true), 'x');
    expect(broken).toBeInstanceOf(StoreUnavailable);
    expect(broken).toMatchObject({
      mayHaveApplied: true,
      code: 'UNKNOWN',
      reason: 'OUTCOME_UNKNOWN',
      retryable: true,
      retryAfterMs: undefined,
    });
    const absent = translateStoreError(new RedisLinkError('connect ECONNREFUSED', false), 'x');
    expect(absent).toMatchObject({ mayHaveApplied: false, code: 'UNAVAILABLE' });
  });

  it('leaves our own errors as they are, and takes what is no error', () => {
    const own = new EchoMQError('own', { code: 'ABORTED', reason: 'OWN' });
    expect(translateStoreError(own, 'x')).toBe(own);
    expect(translateStoreError('a text', 'x')).toBeInstanceOf(ContractBroken);
  });
});
