import { fileURLToPath } from 'node:url';
import type { Fault } from '../src/faulty-worker/faults.js';
import type { WorkerCommand } from '../src/worker-process.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PLACE = '--address {address} --queue {queue} --concurrency {concurrency}';

/** The worker of src/faulty-worker, with these faults. */
export function faulty(...faults: readonly Fault[]): WorkerCommand {
  const main = 'tools/conformance/build/faulty-worker/main.js';
  return { line: `node ${main} ${PLACE} --faults "${faults.join(',')}"`, cwd: ROOT };
}

/** The SDK, as apps/sample-worker uses it. */
export const SAMPLE_WORKER: WorkerCommand = {
  line: `node apps/sample-worker/build/main.js ${PLACE}`,
  cwd: ROOT,
};
