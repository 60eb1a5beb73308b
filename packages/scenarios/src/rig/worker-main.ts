import { setTimeout as sleep } from 'node:timers/promises';
import { connect, Worker } from '@echomq/sdk';
import type { Note } from '../history/history.js';
import { runName } from './note-worker.js';

/** What a worker process is told, as JSON in its only argument. */
export interface WorkerOrders {
  readonly address: string;
  readonly queue: string;
  readonly name: string;
  /** How long each handler takes, ms, unless the job's data has an `ms` of its own. */
  readonly ms: number;
  readonly concurrency: number;
  readonly lockMs: number;
}

/** Works until it is ended, and writes a note per line of what it sees, with the time, ms since the epoch. */
function work(orders: WorkerOrders): void {
  const tell = (note: Note) => process.stdout.write(`${JSON.stringify([Date.now(), note])}\n`);
  const connection = connect({ address: orders.address });
  const worker = new Worker<{ readonly ms?: number }, string>(
    orders.queue,
    async (job, { signal }) => {
      const run = runName(orders.name, job);
      const over = () => tell({ kind: 'over', job: job.id, run });
      tell({ kind: 'started', job: job.id, run });
      signal.addEventListener('abort', over);
      await sleep(job.data.ms ?? orders.ms);
      over();
      return run;
    },
    { connection, concurrency: orders.concurrency, lockDuration: orders.lockMs },
  );
  const of = (job: { readonly id: string; readonly attemptsStarted: number }) => ({
    job: job.id,
    run: runName(orders.name, job),
  });
  worker.on('completed', (job) => tell({ kind: 'ended', ...of(job), end: 'completed' }));
  worker.on('failed', (job, _error, { final }) =>
    tell({ kind: 'ended', ...of(job), end: final ? 'failed' : 'again' }),
  );
  worker.on('leaseLost', (job) => tell({ kind: 'lost', ...of(job) }));
  worker.on('error', () => {});
  worker.once('ready', () => process.stdout.write('ready\n'));
  process.once('SIGTERM', () => {
    void worker.close().then(() => connection.close());
  });
}

work(JSON.parse(process.argv[2] ?? '{}') as WorkerOrders);
