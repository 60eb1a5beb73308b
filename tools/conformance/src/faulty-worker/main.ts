import { parseArgs } from 'node:util';
import { FAULTS, type Fault } from './faults.js';
import { FaultyWorker } from './worker.js';

const { values } = parseArgs({
  options: {
    address: { type: 'string', default: '127.0.0.1:50051' },
    queue: { type: 'string', default: 'demo' },
    concurrency: { type: 'string', default: '2' },
    faults: { type: 'string', default: '' },
  },
});

const names = values.faults.split(',').filter((name) => name !== '');
const strange = names.filter((name) => !Object.hasOwn(FAULTS, name));
if (strange.length > 0) throw new RangeError(`no such fault: ${strange.join(', ')}`);

const worker = new FaultyWorker({
  address: values.address,
  queue: values.queue,
  concurrency: Number(values.concurrency),
  faults: new Set(names as Fault[]),
});
if (!names.includes('dies-at-once')) process.once('SIGTERM', () => worker.close());
