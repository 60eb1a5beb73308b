import type { DeliveredJob } from '@echomq/proto/messages';
import { complete } from './use-engine.js';
import { beat, report, type TestWorker } from './work-link.js';

/** What a worker of a test has done. */
export interface Handled {
  /** Runs per job id. */
  readonly runs: ReadonlyMap<string, number>;
  /** Reports that the engine acknowledged with a result. */
  readonly done: () => number;
  /** Reasons why reports were refused. */
  readonly refusals: readonly string[];
}

/** The same each time that it is reported: the receipt of a report tells apart what is not. */
const resultOf = (job: DeliveredJob | undefined) => complete(`"${job?.lease?.jobId ?? ''}"`);

/** Accepts and completes every job that comes, at once; sends a report again that could not be applied for now. */
export function handleAll(worker: TestWorker): Handled {
  const runs = new Map<string, number>();
  const refusals: string[] = [];
  const open = new Map<number, DeliveredJob>();
  let reports = 0;
  let done = 0;
  worker.onMessage((message) => {
    if (message.$case === 'delivery') {
      const { jobs } = message.value;
      worker.send(beat([...open.values(), ...jobs]));
      for (const job of jobs) {
        const id = job.lease?.jobId ?? '';
        runs.set(id, (runs.get(id) ?? 0) + 1);
        open.set(++reports, job);
        worker.send(report(reports, job, resultOf(job)));
      }
    } else if (message.$case === 'reportAck') {
      const { reportId, outcome } = message.value;
      const job = open.get(reportId);
      if (outcome?.$case === 'error') {
        const { code, message: text } = outcome.value;
        refusals.push(`${code} ${text}`);
        // UNAVAILABLE and UNKNOWN: the same report again, a turn later. At once it would leave no turn in which the store
        // comes back: a store that is away refuses without one.
        if (code === 14 || code === 2) {
          setImmediate(() => worker.send(report(reportId, job, resultOf(job))));
        } else open.delete(reportId);
        return;
      }
      open.delete(reportId);
      done++;
    }
  });
  return { runs, done: () => done, refusals };
}
