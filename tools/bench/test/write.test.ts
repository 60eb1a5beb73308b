import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { main } from '../src/main.js';
import { REPORT_PART } from '../src/report/write.js';

/** One run of two contenders with few jobs, and what was printed. */
async function tinyRun(folder: string): Promise<{ code: number; said: string }> {
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const code = await main([
      ...['--only', 'add-bulk', '--contenders', 'echomq-embedded,bullmq6'],
      ...['--rounds', '1', '--part', '0.025', '--out', folder],
    ]);
    return { code, said: print.mock.calls.map(([text]) => String(text)).join('') };
  } finally {
    print.mockRestore();
  }
}

it('pnpm bench --out writes report, figures and charts, and keeps what people wrote', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const page = join(folder, 'README.md');
  writeFileSync(page, `# Mine\n\nAbove.\n\n${REPORT_PART.around('old')}\n\nBelow.\n`);
  const { code, said } = await tinyRun(folder);
  // How fast it was is asserted nowhere: a floor may have been missed.
  expect([0, 1]).toContain(code);
  expect(said).toContain('add, bulk of 1,000, one at a time: ');
  expect(said).not.toContain('FAILED');
  expect(readdirSync(folder).sort()).toEqual(['README.md', 'add-bulk.svg', 'results.json']);

  const text = readFileSync(page, 'utf8');
  expect(REPORT_PART.outside(text)).toBe('# Mine\n\nAbove.\n\n\n\nBelow.\n');
  const report = REPORT_PART.in(text);
  expect(report).toMatch(
    /^Written by `pnpm bench --only add-bulk .* on 20\d\d-\d\d-\d\d: .* cores,/,
  );
  expect(report).toContain(`Node ${process.version}, `);
  expect(report).toMatch(/\| add, bulk of 1,000, one at a time \| 2 \| 3 \| [\d.,]+ \| .* \|/);
  expect(report).toContain('![add, bulk of 1,000, one call at a time](add-bulk.svg)');

  const { results, rounds } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
  expect(rounds).toBe(1);
  expect(results).toEqual([
    {
      scene: expect.objectContaining({
        id: 'add-bulk',
        params: expect.objectContaining({ jobs: 1_000 }),
      }),
      series: ['echomq-embedded', 'bullmq6'].map((contender) => ({
        contender,
        runs: [expect.objectContaining({ jobsPerS: expect.any(Number) })],
        problems: [],
      })),
    },
  ]);
  const chart = readFileSync(join(folder, 'add-bulk.svg'), 'utf8');
  expect(chart).toMatch(/^<svg[\s\S]*echomq-embedded[\s\S]*<\/svg>\s*$/);
}, 60_000);

it.each([['--part', '2'], ['--part', 'x'], ['--rounds', '0'], ['--unknown']])(
  '%s %s is refused',
  async (...args) => {
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await main(args.filter((each) => each !== undefined))).toBe(2);
    print.mockRestore();
  },
);
