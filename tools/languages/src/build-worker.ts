import { SAMPLE_WORKERS } from './worker-programs.js';

// build-worker.js NAME: makes the program of a sample worker, as a process of its own, so that several are made side by
// side and who waits can say so. Ends with 0, or with 1 and why there is no program.
const [name = ''] = process.argv.slice(2);
try {
  const found = SAMPLE_WORKERS[name]?.find() ?? { missing: 'there is no such worker' };
  if ('missing' in found) throw new Error(found.missing);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
