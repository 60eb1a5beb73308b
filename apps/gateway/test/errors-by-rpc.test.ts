import { useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADD_CASES } from './errors/add-cases.js';
import type { Case } from './errors/case.js';
import { declaredReasons, promised } from './errors/declared.js';
import { JOB_CASES } from './errors/job-cases.js';
import { LEASE_CASES } from './errors/lease-cases.js';
import { expectKept } from './errors/no-leaks.js';
import { Stand } from './errors/stand.js';
import { FULL_CASES, STREAM_CASES } from './errors/stream-cases.js';

const redis = useRedis();
const promises = promised();

function walk(title: string, cases: readonly Case[], env: Readonly<Record<string, string>> = {}) {
  describe(title, () => {
    let stand: Stand;
    beforeAll(async () => {
      stand = await Stand.start(redis, env);
    });
    afterAll(() => stand.close());

    it.each(cases)('$rpc $reason', async ({ rpc, reason, facts, provoke }) => {
      const failure = await provoke(stand);
      expectKept(failure, reason, promises.get(reason));
      expect(Object.keys(failure.metadata)).toEqual(expect.arrayContaining([...facts]));
      expect(declaredReasons().get(rpc)).toContain(reason);
    });
  });
}

walk('of jobs and queues', JOB_CASES);
walk('of those who add', ADD_CASES);
walk('of those who hold', LEASE_CASES);
walk('of streams and polls', STREAM_CASES);
walk('of a full gateway', FULL_CASES, { ECHOMQ_MAX_STREAMS: '1', ECHOMQ_MAX_WAITERS: '1' });
