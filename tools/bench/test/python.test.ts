import { inFull, skipNote } from '@echomq/languages';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ContenderName } from '../src/contender.js';
import type { Scene } from '../src/plan.js';
import { markdown } from '../src/report/markdown.js';
import { verdicts } from '../src/report/verdicts.js';
import * as pythons from '../src/run/pythons.js';
import { runScene } from '../src/run/run-plan.js';

function scene(contender: ContenderName): Scene {
  const params = { jobs: 60, warmUp: 30, concurrency: 10 };
  return {
    id: 'process-10',
    title: 'process',
    measure: 'process',
    params,
    contenders: [contender],
  };
}

describe('a Python worker', () => {
  for (const contender of ['echomq-python', 'bullmq-python'] as const) {
    const found = inFull(pythons.pythonOf(contender) ?? { missing: 'it has none' });
    it.skipIf('missing' in found)(
      `of ${contender} works everything off and its books balance${skipNote(found)}`,
      async () => {
        const result = await runScene(scene(contender), 1, () => undefined);
        const figures = {
          jobsPerS: expect.any(Number),
          workerUs: expect.any(Number),
          redisUs: expect.any(Number),
          gatewayUs: expect.any(Number),
          commands: expect.any(Number),
        };
        expect(result.series).toEqual([{ contender, runs: [figures], problems: [] }]);
      },
      60_000,
    );
  }
});

describe('a contender whose tools are missing', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is skipped by name with the reason, and nothing has failed', async () => {
    vi.spyOn(pythons, 'pythonOf').mockReturnValue({ missing: 'there is no pip' });
    const said: unknown[] = [];
    const result = await runScene(scene('bullmq-python'), 2, (...told) => said.push(told));
    expect(said).toEqual([['bullmq-python', 'SKIPPED there is no pip']]);
    expect(result.series).toEqual([
      { contender: 'bullmq-python', runs: [], problems: [], skipped: 'there is no pip' },
    ]);
    const machine = { cpu: '', cores: 2, memoryGiB: 1, kernel: '', node: '', redis: '', date: '' };
    const run = { machine, rounds: 2, command: 'pnpm bench', shared: false };
    expect(markdown([result], verdicts([result]), run)).toContain(
      '- bullmq-python was skipped: there is no pip',
    );
  });
});
