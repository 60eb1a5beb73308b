import { join } from 'node:path';
import { inFull, toolchain } from '@echomq/languages';
import { ROOT } from '../root.js';
import type { Report, Runner } from '../runner.js';
import { check, inTurn, leftOut, run as runStep, skipped } from './step.js';
import { unittestReport } from './unittest-report.js';

const PACKAGE = 'packages/worker-python';
const SAMPLE = 'apps/sample-worker-python';
/** The workers that are measured. */
const BENCH = 'tools/bench/python';
/** Whose form ruff looks at. */
const ALL = [PACKAGE, SAMPLE, BENCH];

/** The Python helper and its sample: ruff, mypy, unittest. */
export const python: Runner = { name: 'python', run };

async function run(): Promise<Report> {
  const chain = toolchain('python');
  if ('missing' in chain) return skipped('python', chain.missing);
  const step = (name: string, args: readonly string[], cwd = ROOT) => ({
    name,
    command: chain.tool,
    args: ['-m', ...args],
    cwd,
    env: {
      PYTHONPATH: join(ROOT, PACKAGE, 'src'),
      MYPYPATH: ['src', 'tests'].map((part) => join(ROOT, PACKAGE, part)).join(':'),
    },
  });
  const strict = ['mypy', '--config-file', join(ROOT, PACKAGE, 'pyproject.toml')];
  const cache = ['--cache-dir', join(ROOT, '.cache/mypy')];
  const checks = inFull([
    () => check(step('ruff check', ['ruff', 'check', '--no-cache', ...ALL])),
    () => check(step('ruff format', ['ruff', 'format', '--no-cache', '--check', ...ALL])),
    () =>
      check(step('mypy', [...strict, ...cache, 'src/echomq_worker', 'tests'], join(ROOT, PACKAGE))),
    () =>
      check(
        step(
          'mypy of the sample',
          [...strict, ...cache, 'worker.py', 'handlers.py'],
          join(ROOT, SAMPLE),
        ),
      ),
  ]);
  return inTurn([
    ...('missing' in checks ? [leftOut('ruff and mypy', checks.missing)] : checks),
    async () => {
      const ended = await runStep(
        step('unittest', ['unittest', 'discover', '-v', '-s', join(PACKAGE, 'tests')]),
      );
      console.log(ended.output);
      return unittestReport(ended);
    },
  ]);
}
