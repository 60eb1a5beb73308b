import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { privateRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import type { ContenderName } from '../src/contender.js';
import type { Params } from '../src/measure.js';
import { homesOf } from '../src/measures/idle.js';
import { ANSWER, type RunAnswer, type RunSpec } from '../src/run/spec.js';

const CHILD = fileURLToPath(new URL('../build/run/child.js', import.meta.url));

async function run(
  contender: ContenderName,
  measure: RunSpec['measure'],
  params: Params,
): Promise<RunAnswer> {
  await using redis = await privateRedis();
  const place = { redisPort: redis.port ?? 0, queue: 'bench' };
  const spec: RunSpec = { contender, measure, params, place };
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(spec)]);
  const line = stdout.split('\n').find((each) => each.startsWith(ANSWER)) ?? ANSWER;
  return JSON.parse(line.slice(ANSWER.length)) as RunAnswer;
}

describe('a run', () => {
  it.each(['echomq-embedded', 'bullmq6', 'bullmq5', 'bull', 'bee-queue', 'groupmq'] as const)(
    'of %s works everything off and its books balance',
    async (contender) => {
      const answer = await run(contender, 'process', { jobs: 40, warmUp: 20, concurrency: 5 });
      expect(answer).toEqual({
        figures: {
          jobsPerS: expect.any(Number),
          nodeUs: expect.any(Number),
          redisUs: expect.any(Number),
          gatewayUs: 0,
          commands: expect.any(Number),
        },
      });
    },
  );

  it('counts for nothing when its books do not balance', async () => {
    const params = { jobs: 20, concurrency: 1, olderActive: 3 };
    // bee-queue does not use this layout: the seeded jobs are not in its books.
    expect(await run('bee-queue', 'process', params)).toEqual({
      problem: expect.stringContaining('the books do not balance: 0 jobs are still active'),
    });
  });

  it('of many idle workers spreads them over connections: a gateway takes so many calls on one', () => {
    expect(homesOf(1, 1_000)).toEqual(Array.from({ length: 10 }, () => 0));
    expect(homesOf(3, 100)).toEqual([0, 1, 2]);
    expect(homesOf(2, 402)).toEqual([0, 1, 0, 1, 0, 1]);
  });
});
