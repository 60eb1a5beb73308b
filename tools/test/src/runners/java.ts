import { javaWorker, toolchain } from '@echomq/languages';
import type { Report, Runner } from '../runner.js';
import { failure, skipped } from './step.js';

/** The Java sample builds, and its build is javac with -Xlint:all and -Werror. */
export const java: Runner = { name: 'java', run };

async function run(): Promise<Report> {
  const chain = toolchain('java');
  if ('missing' in chain) return skipped('java', chain.missing);
  try {
    javaWorker();
    return { passed: 1, failed: 0, skipped: 0, problems: [] };
  } catch (error) {
    return failure((error as Error).message);
  }
}
