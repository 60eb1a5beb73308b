import type { Handler, Worker } from '@echomq/sdk';
import type { History } from '../history/history.js';

interface Started {
  readonly id: string;
  readonly attemptsStarted: number;
}

/** A name for one delivery of a job: the count of its starts makes it one. */
export const runName = (worker: string, { id, attemptsStarted }: Started): string =>
  `${worker}/${id}#${attemptsStarted}`;

/** A handler that notes when it begins and is over, its abort included. */
export function noting<Data, Result>(
  history: History,
  worker: string,
  handler: Handler<Data, Result>,
): Handler<Data, Result> {
  return async (job, context) => {
    const run = runName(worker, job);
    const over = () => history.note({ kind: 'over', job: job.id, run });
    history.note({ kind: 'started', job: job.id, run });
    context.signal.addEventListener('abort', over);
    try {
      return await handler(job, context);
    } finally {
      over();
    }
  };
}

/** Notes what a worker is told of the ends of its runs. */
export function noteEnds<Data, Result>(
  history: History,
  name: string,
  worker: Worker<Data, Result>,
): Worker<Data, Result> {
  worker.on('completed', (job) =>
    history.note({ kind: 'ended', job: job.id, run: runName(name, job), end: 'completed' }),
  );
  worker.on('failed', (job, _error, { final }) =>
    history.note({
      kind: 'ended',
      job: job.id,
      run: runName(name, job),
      end: final ? 'failed' : 'again',
    }),
  );
  worker.on('leaseLost', (job) =>
    history.note({ kind: 'lost', job: job.id, run: runName(name, job) }),
  );
  return worker;
}
