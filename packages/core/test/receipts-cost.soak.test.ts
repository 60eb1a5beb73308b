import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Receipt } from '../src/receipts.js';
import { type Move, moveBatch } from '../src/transitions/moveBatch.js';
import { META, type TestQueue, useStore } from './use-store.js';

/** What a receipt costs in time and memory, on the scripts as they are: `pnpm soak --project core receipts-cost`. */
const used = useStore();
const PAGE = new URL('../../../docs/adr/0016-receipts.md', import.meta.url);
const [SLICES, FINISHES, UNACKED] = [process.env.ECHOMQ_SOAK === 'long' ? 40 : 8, 500, 50];
const KINDS = ['none', 'report', 'request'] as const;
type Kind = (typeof KINDS)[number];

/** 16 random bytes, as digests are. */
const digest = () => randomBytes(16).toString('base64url');

/** Ends so many runs, so many a script, each with the next job. Returns the µs inside Redis of one of them. */
async function slice(kind: Kind, size: number): Promise<number> {
  const queue = used.queue();
  const ids = Array.from({ length: FINISHES + size }, (_, at) => `${at}`);
  await queue.seed({ meta: META, wait: [...ids].reverse(), jobs: jobs(ids) });
  // As long as the engine's: an answer that names the next job holds its token.
  const tokens = new Map(ids.map((id) => [id, digest()]));
  const tokenOf = (id: string) => tokens.get(id) ?? '';
  const lease = { lockDuration: 30_000, name: 'w' };
  const first = ids.slice(0, size).map((id) => ({ ...lease, token: tokenOf(id) }));
  await moveBatch(used.store, queue.keys, first);
  const receipts = receiptsOf(queue, kind);
  const before = await spentUs();
  for (let at = 0; at < FINISHES; at += size) {
    const moves = ids.slice(at, at + size).map((jobId, place): Move => {
      const receipt = receipts(at + place + 1, place === 0 ? size : 0);
      const nextToken = tokenOf(`${Number(jobId) + size}`);
      const options = { ...lease, token: tokenOf(jobId), nextToken, keepJobs: { count: 0 } };
      return {
        ...{ jobId, target: 'completed', value: '{"ok":true}', fetchNext: true },
        options: { ...options, ...(receipt && { receipt }) },
      };
    });
    const moved = await moveBatch(used.store, queue.keys, moves);
    expect(moved.filter((each) => each instanceof Error)).toEqual([]);
  }
  return ((await spentUs()) - before) / FINISHES;
}

const jobs = (ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, { data: '{"order":7}' }]));

/** Receipts by the number of their report; the first of a script deletes what was acknowledged since the last one. */
function receiptsOf({ keys }: TestQueue, kind: Kind) {
  const session = keys.sessionReceipts(digest());
  return (report: number, acknowledged: number): Receipt | undefined => {
    if (kind === 'none') return undefined;
    if (kind === 'request') {
      return { key: keys.requestReceipts(digest()), digest: digest(), ttl: 120_000 };
    }
    const acked = Array.from(
      { length: acknowledged },
      (_, at) => report - UNACKED - acknowledged + at,
    );
    return {
      ...{ key: session, field: `${report}`, digest: digest(), ttl: 120_000 },
      acked: acked.filter((id) => id > 0).map(String),
    };
  };
}

/** µs that scripts have spent inside Redis. */
async function spentUs(): Promise<number> {
  const stats = await used.redis.client.info('commandstats');
  const spent = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/g)];
  return spent.reduce((sum, [, us]) => sum + Number(us), 0);
}

/** Bytes that one receipt takes. */
async function bytesOf(kind: Kind): Promise<number | undefined> {
  if (kind === 'none') return undefined;
  await used.redis.client.flushall();
  await slice(kind, 10);
  const [key = '', ...more] = await used.redis.client.keys('*:meta:r*');
  const all = Number(await used.redis.client.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
  if (kind === 'request') return more.length === 0 ? undefined : all;
  return Math.round(all / (await used.redis.client.hlen(key)));
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

it('what a receipt costs, and that it takes less than 400 bytes', async () => {
  const rows: string[] = [];
  for (const size of [1, 10, 50]) {
    const found: Record<Kind, number[]> = { none: [], report: [], request: [] };
    // In turns: what disturbs the machine disturbs all of them.
    for (let round = 0; round < SLICES; round += 1) {
      for (const kind of KINDS) found[kind].push(await slice(kind, size));
    }
    const plain = quantile(found.none, 0.25);
    for (const kind of KINDS) {
      const typical = quantile(found[kind], 0.25);
      const ratio = `${(typical / plain).toFixed(2)}`;
      const best = quantile(found[kind], 0).toFixed(1);
      rows.push(`| ${size} | ${NAMES[kind]} | ${best} | ${typical.toFixed(1)} | ${ratio} |`);
    }
  }
  const [report, request] = [await bytesOf('report'), await bytesOf('request')];
  const table = [
    '| Finishes a script | Receipt | µs each, best slice | µs, lower quartile | Ratio |',
    '| ---: | --- | ---: | ---: | ---: |',
    ...rows,
    '',
    `Memory: ${report} bytes for a report, ${request} for a request.`,
  ].join('\n');
  console.log(table);
  if (process.env.ECHOMQ_WRITE_DOCS) writeTable(table);
  expect([report, request].every((bytes) => bytes !== undefined && bytes < 400)).toBe(true);
});

const NAMES: Readonly<Record<Kind, string>> = {
  none: 'none',
  report: `report of a session, ${UNACKED} unacknowledged`,
  request: '`request_id`',
};

function writeTable(table: string): void {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = ['<!-- cost -->\n', '<!-- /cost -->'];
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  writeFileSync(PAGE, `${text.slice(0, from)}\n${table}\n\n${text.slice(to)}`);
}
