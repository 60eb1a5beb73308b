import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '@echomq/local-redis';
import type { Open, Place, RunningWorker, WorkTerms } from '../contender.js';
import { openBullmq6 } from './bullmq.js';
import { openGateway } from './echomq.js';

const PROGRAMS = fileURLToPath(new URL('../../python', import.meta.url));
const HELPER = fileURLToPath(new URL('../../../../packages/worker-python/src', import.meta.url));

/** How long a worker has to end in good order, ms. */
const CLOSE_MS = 5_000;

/** EchoMQ's helper for Python through a gateway. Jobs are added by the SDK. */
export const openEchomqPython: Open = async (place, terms) => ({
  ...(await openGateway(place, terms)),
  work: (work) => start('echomq_process.py', { place, at: place.gateway ?? '', work }),
});

/** The bullmq package of PyPI, on the layout of BullMQ 6. Jobs are added by that of npm. */
export const openBullmqPython: Open = async (place, terms) => ({
  ...(await openBullmq6(place, terms)),
  work: (work) =>
    start('bullmq_process.py', { place, at: `redis://127.0.0.1:${place.redisPort}`, work }),
});

interface Start {
  readonly place: Place;
  /** Where its server is. */
  readonly at: string;
  readonly work: WorkTerms;
}

/** Starts a worker that prints `ready`, then the number of each job that it has handled. */
async function start(program: string, { place, at, work }: Start): Promise<RunningWorker> {
  const child = spawnGuarded({
    binary: place.python ?? 'python3',
    args: [`${PROGRAMS}/${program}`, at, place.queue, String(work.concurrency)],
    cwd: process.cwd(),
    env: { PATH: process.env.PATH ?? '', PYTHONPATH: HELPER, PYTHONDONTWRITEBYTECODE: '1' },
    output: 'pipe',
  });
  // A guarded child does not keep this process alive by itself.
  child.ref();
  child.stderr?.pipe(process.stderr);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let rest = '';
    child.stdout?.on('data', (part: Buffer) => {
      const lines = (rest + part.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === 'ready') resolve();
        else void work.handler({ n: Number(line) });
      }
    });
    void closed.then(() => reject(new Error(`${program} ended before it was ready`)));
  });
  return {
    pid: child.pid ?? 0,
    close: async () => {
      child.kill('SIGTERM');
      // What was measured has ended before. Some runs of the peer's close never end: it begins to wait for jobs again.
      const late = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
      await closed;
      clearTimeout(late);
    },
  };
}
