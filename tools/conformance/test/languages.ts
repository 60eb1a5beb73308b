import { HELPERS, inFull } from '@echomq/languages';
import { expect, test } from 'vitest';
import { CANDIDATES, commandOf } from '../src/candidates.js';
import { runSuite } from '../src/suite.js';
import { table } from '../src/table.js';

/** Plays cases against every candidate that is not the SDK's, a test for each. */
export function gradesLanguages(
  only: readonly string[] | undefined,
  { parallel, timeout }: { readonly parallel: number; readonly timeout: number },
): void {
  const workers = Object.entries(CANDIDATES).map((each) => [...each, false] as const);
  // A gateway of the first version of the contract: the helpers say to it nothing that it would not know.
  const helpers = Object.entries(HELPERS).map((each) => [...each, true] as const);
  for (const [name, candidate, older] of [...workers, ...helpers]) {
    if (candidate.language === 'typescript') continue;
    const wanted = inFull(candidate);
    const worker = 'missing' in wanted ? wanted : commandOf(wanted);
    const missing = 'missing' in worker ? worker.missing : undefined;
    const note = missing === undefined ? '' : ` (skipped: ${missing})`;
    test.skipIf(missing !== undefined)(
      `${name}${older ? ', with an older gateway,' : ''} passes ${only ? `${only.length} cases` : 'every case'}${note}`,
      { timeout },
      async () => {
        if ('missing' in worker) return;
        // Patient, because other tests use the same cores.
        const report = await runSuite({
          worker,
          older,
          // A JVM takes some CPU time before it has said its first word.
          ...(candidate.language === 'java'
            ? { parallel: Math.ceil(parallel / 2), patience: 3 }
            : { parallel, patience: 2 }),
          ...(only ? { only } : {}),
        });
        const failed = report.verdicts.filter(({ passed }) => !passed).map(({ id }) => id);
        expect(failed, table(report).join('\n')).toEqual([]);
      },
    );
  }
}
