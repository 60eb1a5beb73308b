import { join } from 'node:path';
import { CACHE, javaWorker, toolchain } from '@echomq/languages';
import { ROOT } from '../root.js';
import type { Report, Runner } from '../runner.js';
import { check, failure, inTurn, skipped } from './step.js';

/** The Java library and its sample build, and their build is javac with -Xlint:all and -Werror; then the library's JUnit. */
export const java: Runner = { name: 'java', run };

async function run(): Promise<Report> {
  const chain = toolchain('java');
  if ('missing' in chain) return skipped('java', chain.missing);
  const args = ['-B', '-ntp', '-q', 'test', `-Dto=${join(CACHE, 'java')}`];
  return inTurn([
    async () => built(),
    () => check({ name: 'mvn test', command: chain.tool, args, cwd: ROOT }),
  ]);
}

function built(): Report {
  try {
    javaWorker();
    return { passed: 1, failed: 0, skipped: 0, problems: [] };
  } catch (error) {
    return failure((error as Error).message);
  }
}
