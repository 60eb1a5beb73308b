import { describe, expect, it } from 'vitest';
import { SCENES } from '../src/plan.js';
import { chart } from '../src/report/chart.js';
import { markdown } from '../src/report/markdown.js';
import { numberText } from '../src/report/number-text.js';
import { median, percentile, spread } from '../src/report/statistics.js';
import { TARGETS } from '../src/report/targets.js';
import { verdicts } from '../src/report/verdicts.js';
import type { SceneResult } from '../src/run/run-plan.js';

const scene = SCENES.find(({ id }) => id === 'process-100') ?? SCENES[0];

function result(embedded: readonly number[], bullmq6: readonly number[]): SceneResult {
  if (!scene) throw new Error('the plan is empty');
  const series = Object.entries({ 'echomq-embedded': embedded, bullmq6 }).map(
    ([contender, values]) => ({
      contender: contender as 'bullmq6',
      runs: values.map((jobsPerS) => ({ jobsPerS })),
      problems: [],
    }),
  );
  return { scene, series };
}

describe('statistics', () => {
  it('takes percentiles by the nearest rank, and the middle of two for a median', () => {
    const values = [5, 1, 4, 2, 3];
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile([], 0.5)]).toEqual([
      3,
      5,
      Number.NaN,
    ]);
    expect([median(values), median([1, 2, 3, 10]), median([])]).toEqual([3, 2.5, Number.NaN]);
    expect(spread([8, 10, 12])).toBeCloseTo(0.2);
  });

  it('writes numbers for people', () => {
    expect([1234.5, 12.345, 2, 0.00123, Number.NaN].map(numberText)).toEqual([
      '1,235',
      '12.3',
      '2',
      '0.00123',
      '–',
    ]);
  });
});

describe('targets', () => {
  it('name scenes, contenders and figures that are in the plan', () => {
    const wrong = TARGETS.filter(({ scene: id, contender }) => {
      const found = SCENES.find((each) => each.id === id);
      return !found?.contenders.includes(contender);
    });
    expect(wrong).toEqual([]);
  });

  it('are judged by the median of the ratios of each round', () => {
    const of = (embedded: number[], bullmq6: number[]) =>
      verdicts([result(embedded, bullmq6)]).find(
        ({ target }) => target.title === 'process, embedded, 100, warm',
      );
    // A slow round meets both: the ratios are 2, 2 and 3, not 300 to 100.
    expect(of([200, 300, 30], [100, 150, 10])).toMatchObject({ measured: 2, verdict: 'floor' });
    expect(of([300], [100])).toMatchObject({ measured: 3, verdict: 'goal' });
    // As it is printed.
    expect(of([179.6], [100])?.verdict).toBe('floor');
    expect(of([179.4], [100])?.verdict).toBe('missed');
    expect(of([100], [100])).toMatchObject({ measured: 1, verdict: 'missed' });
    expect(of([], [])).toMatchObject({ verdict: 'not measured' });
  });
});

describe('the report', () => {
  it('names the machine, the verdicts, the medians and what failed', () => {
    const failed: SceneResult = {
      ...result([100, 300, 200], [100]),
      series: [
        ...result([100, 300, 200], [100]).series,
        { contender: 'bull', runs: [undefined], problems: ['Error: the books do not balance: x'] },
      ],
    };
    const machine = {
      cpu: 'a cpu',
      cores: 2,
      memoryGiB: 24,
      kernel: '6.1',
      node: 'v20',
      redis: 'redis 7',
      date: '2026-01-31',
    };
    const run = { machine, rounds: 3, command: 'pnpm bench', shared: true };
    const text = markdown([failed], verdicts([failed]), run);
    expect(text).toContain('a cpu, 2 cores');
    expect(text).toContain('redis 7; a shared machine.');
    expect(text).toContain('| echomq-embedded | 200 | 50 % |');
    expect(text).toContain('- bull, a run without figures: Error: the books do not balance: x');
    expect(text).toContain(
      '| process, embedded, 100, warm | 1.80 | 2.50 | 1 | **missed** | jobsPerS 200 (100) |',
    );
    expect(text).toContain('| not measured | this run had no such scene |');
  });

  it('draws a bar for each contender', async () => {
    const svg = await chart(result([100, 300], [100, 120]));
    expect(svg).toMatch(/^<svg/);
    expect(svg).toContain('bullmq6');
    expect(svg).toContain('process, concurrency 100, warm');
  });
});
