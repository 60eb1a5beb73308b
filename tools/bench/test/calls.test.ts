import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useRedis, useStarted } from '@echomq/testkit';
import { describe, expect, it, vi } from 'vitest';
import { CALL_CASES } from '../src/calls/cases/index.js';
import { type Side, Stage } from '../src/calls/stage.js';
import { callCount, parseStatistics, since } from '../src/calls/statistics.js';
import { CALLS_PART, countsIn, writeCalls } from '../src/calls/table.js';
import { main } from '../src/main.js';

const NOW = 1_700_000_000_000;
const DOC = new URL('../../../docs/benchmarks/calls.md', import.meta.url);

const redis = useRedis();
const stage = useStarted(async () => {
  const opened = await Stage.open(redis.url, NOW);
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
});

/** The whole state that one side leaves, and which keys will go by themselves. */
async function left(id: string, side: Side) {
  const each = CALL_CASES.find((one) => one.id === id) ?? expect.unreachable();
  await stage.value.play(each, side);
  const queue = redis.freshQueue({ name: stage.value.keys.name });
  const ttls = await queue.readTtls();
  return { dump: await queue.read(), mortal: Object.keys(ttls).sort() };
}

describe('a yardstick', () => {
  it.each(CALL_CASES.map(({ id }) => id))(
    'of %s leaves the state that the transition leaves',
    async (id) => {
      const ours = await left(id, 'ours');
      expect(await left(id, 'yardstick')).toEqual(ours);
    },
  );
});

describe('pnpm bench --calls', () => {
  it('writes the counts that docs/benchmarks/calls.md has, and nothing around them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-calls-'));
    const copy = join(folder, 'calls.md');
    copyFileSync(DOC, copy);
    const prints = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockReturnValue(true),
    );
    try {
      expect(await main(['--calls', '--rounds', '1', '--shared', '--out', folder])).toBe(0);
      const [committed, fresh] = [DOC, copy].map((path) => readFileSync(path, 'utf8'));
      expect(countsIn(fresh ?? '')).toEqual(countsIn(committed ?? ''));
      expect(CALLS_PART.outside(fresh ?? '')).toBe(CALLS_PART.outside(committed ?? ''));
      expect(fresh).toContain(', 1 rounds, on a shared machine: ');
      expect(countsIn(fresh ?? '').map(([title]) => title)).toEqual(
        CALL_CASES.map(({ title }) => title),
      );
    } finally {
      for (const print of prints) print.mockRestore();
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it('refuses a file without a place for the table, and makes one that is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-calls-'));
    writeFileSync(join(folder, 'calls.md'), '# Mine\n');
    await expect(writeCalls(folder, 'table')).rejects.toThrow('there is no part between');
    const path = await writeCalls(join(folder, 'new'), 'table');
    expect(CALLS_PART.in(readFileSync(path, 'utf8'))).toBe('table');
    rmSync(folder, { recursive: true });
  });

  it('counts what came in between, without the asking', () => {
    const before = parseStatistics('cmdstat_info:calls=1,usec=9\ncmdstat_get:calls=2,usec=3\n');
    const after = parseStatistics(
      'cmdstat_info:calls=2,usec=9\r\ncmdstat_get:calls=2,usec=3\r\ncmdstat_evalsha:calls=1,usec=40,rejected_calls=0\r\ncmdstat_client|id:calls=1,usec=1\r\n',
    );
    const spent = since(before, after);
    expect(spent).toEqual({ calls: { evalsha: 1, 'client|id': 1 }, scriptUs: 40 });
    expect(callCount(spent)).toBe(2);
  });
});
