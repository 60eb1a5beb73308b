import { eventually, startCluster, type UsedRedis, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADD_CASES, SLOT_CASES } from './errors/add-cases.js';
import { RPCS } from './errors/attempt.js';
import type { Case } from './errors/case.js';
import { commonReasons, declaredReasons, promised } from './errors/declared.js';
import { JOB_CASES } from './errors/job-cases.js';
import { LEASE_CASES } from './errors/lease-cases.js';
import { expectKept } from './errors/no-leaks.js';
import { expectOnPage, tableOf } from './errors/page.js';
import { Stand } from './errors/stand.js';
import { FULL_CASES, STREAM_CASES, UNREAD_CASES } from './errors/stream-cases.js';

/** What cannot be provoked, and why. */
const NOT_PROVOKED: Readonly<Record<string, string>> = {};

const redis = useRedis();
const [declared, common, promises] = [declaredReasons(), commonReasons(), promised()];

/** One row for each reason of an rpc that came over the wire. */
const rows: string[][] = [];

function walk(title: string, cases: readonly Case[], start: () => Promise<Stand>) {
  describe(title, () => {
    let stand: Stand;
    beforeAll(async () => {
      stand = await start();
    });
    afterAll(() => stand?.close());

    it.each(cases)('$rpc $reason', async ({ rpc, reason, facts, provoke }) => {
      const failure = await provoke(stand);
      expectKept(failure, reason, promises.get(reason));
      expect(Object.keys(failure.metadata)).toEqual(expect.arrayContaining([...facts]));
      expect(declared.get(rpc)).toContain(reason);
      expect(stand.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
      const names = Object.keys(failure.metadata).sort();
      rows.push([
        ...[rpc, `\`${reason}\``, failure.status],
        ...[names.map((name) => `\`${name}\``).join(', '), promises.get(reason)?.detail ?? ''],
      ]);
    });
  });
}

const usual = () => Stand.start(redis);

walk('of jobs and queues', JOB_CASES, usual);
walk('of those who add', ADD_CASES, usual);
walk('of those who hold', LEASE_CASES, usual);
walk('of streams and polls', STREAM_CASES, usual);
walk('of those who do not read', UNREAD_CASES, () =>
  Stand.start(redis, { ECHOMQ_MAX_UNREAD_MS: '300' }),
);
walk('of a full gateway', FULL_CASES, () =>
  Stand.start(redis, { ECHOMQ_MAX_STREAMS: '1', ECHOMQ_MAX_WAITERS: '1' }),
);

describe('in a cluster', () => {
  let end = async () => {};
  afterAll(() => end());
  walk('of several slots', SLOT_CASES, async () => {
    const cluster = await startCluster(2);
    end = () => cluster.stop();
    const url = (cluster.urls[0] ?? '').replace('redis:', 'redis+cluster:');
    const stand = await Stand.start({ ...redis, url } as UsedRedis);
    await eventually(() => stand.add('above'), 10_000);
    return stand;
  });
});

it('every reason that an rpc declares has been seen, or is said to be out of reach', () => {
  const seen = new Set(rows.map(([rpc, reason]) => `${rpc} ${reason?.replaceAll('`', '')}`));
  const missing = [...declared].flatMap(([rpc, reasons]) =>
    reasons
      .filter((reason) => !common.includes(reason) && !NOT_PROVOKED[reason])
      .map((reason) => `${rpc} ${reason}`)
      .filter((pair) => !seen.has(pair)),
  );
  expect(missing).toEqual([]);
  const order = (row: readonly string[]) => RPCS.indexOf(row[0] as never);
  const sorted = [...rows].sort(
    (a, b) => order(a) - order(b) || String(a[1]).localeCompare(String(b[1])),
  );
  const heads = ['Rpc', 'Reason', 'Status', 'Metadata', 'Besides'];
  const notes = Object.entries(NOT_PROVOKED).map(([reason, why]) => `- \`${reason}\`: ${why}.`);
  const table = `${tableOf(heads, sorted)}\nDeclared, and not seen:\n\n${notes.join('\n')}\n`;
  expectOnPage('own', table);
});
