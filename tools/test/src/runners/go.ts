import { dirname, join } from 'node:path';
import { inFull, toolchain } from '@echomq/languages';
import { ROOT } from '../root.js';
import type { Report, Runner } from '../runner.js';
import { goReport } from './go-report.js';
import { check, failure, inTurn, leftOut, run as runStep, skipped } from './step.js';

const MODULES = ['packages/worker-go', 'apps/sample-worker-go'];

/** The Go helper and its sample: gofmt, go vet, go test. */
export const go: Runner = { name: 'go', run };

async function run(): Promise<Report> {
  const chain = toolchain('go');
  if ('missing' in chain) return skipped('go', chain.missing);
  const { tool } = chain;
  const of = (module: string, args: readonly string[]) => ({
    name: `go ${args[0]} of ${module}`,
    command: tool,
    args,
    cwd: join(ROOT, module),
  });
  const checks = inFull([
    () => formatted(join(dirname(tool), 'gofmt')),
    ...MODULES.map((module) => () => check(of(module, ['vet', './...']))),
  ]);
  return inTurn([
    ...('missing' in checks ? [leftOut('gofmt and go vet', checks.missing)] : checks),
    ...MODULES.map((module) => async () => {
      return goReport(await runStep(of(module, ['test', '-json', './...'])), console.log);
    }),
  ]);
}

/** gofmt lists what it would write otherwise, and succeeds. */
async function formatted(command: string): Promise<Report> {
  const step = { name: 'gofmt', command, args: ['-l', ...MODULES], cwd: ROOT };
  const { status, output } = await runStep(step);
  if (status === 0 && output === '') return { passed: 1, failed: 0, skipped: 0, problems: [] };
  return failure(`gofmt: ${output.trim().replaceAll('\n', ', ')}`);
}
