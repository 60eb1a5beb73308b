import { describe, expect, it } from 'vitest';
import { runDemo } from '../src/run-demo.js';
import { sampleFolder } from './sample-folder.js';

describe('the demo with a fault in its books', () => {
  it('names each: a ghost, a lock of nobody, a lost job, a wrong result', async () => {
    let said = '';
    const right = await runDemo(
      {
        folder: sampleFolder(10),
        maxFiles: 10,
        concurrency: 8,
        replace: false,
        workers: ['ts'],
        limitMs: 60_000,
        redisUrl: undefined,
      },
      {
        screen: { write: (text: string) => (said += text) },
        env: process.env,
        signal: new AbortController().signal,
        beforeBooks: async ({ redis, stored: { base } }) => {
          await redis.lpush(`${base}wait`, 'ghost');
          await redis.set(`${base}1:lock`, 'nobody');
          await redis.zrem(`${base}completed`, '250');
          await redis.hset(`${base}256`, 'returnvalue', '{"sha256":"00"}');
        },
      },
    );
    expect(right).toBe(false);
    const books = said.slice(said.indexOf('WRONG')).split('\n');
    expect(books.filter((line) => !line.startsWith('right'))).toEqual([
      'WRONG  every id is in exactly one location',
      '         job 250 is in no location',
      '         id ghost in wait was never added',
      'WRONG  no lock without an active job',
      '         job 1 has a lock and is not active',
      'WRONG  the sums are equal',
      '         completed + failed, and added: 284 and 285',
      'WRONG  every job ended as planned',
      '         delayed job 250 is not completed',
      'WRONG  30 results have the SHA-256 computed apart',
      expect.stringMatching(/^ {9}job 256, .*file-1: sha256 is 00, it should be [0-9a-f]{64}$/),
      'The books are WRONG: every id is in exactly one location; no lock without an active job; ' +
        'the sums are equal; every job ended as planned; 30 results have the SHA-256 computed apart.',
      '',
    ]);
  }, 90_000);
});
