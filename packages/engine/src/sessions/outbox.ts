import type { DeliveredJob } from '@echomq/proto/messages';
import { withoutData } from '../messages/sizes.js';

/** Gathers the jobs that leave in one turn of the event loop into as few messages as their size allows. */
export class Outbox {
  #jobs: { readonly job: DeliveredJob; readonly bytes: number }[] = [];

  constructor(
    private readonly maxBytes: number,
    /** `bytes`: what they weigh in all; more than any bound where one goes without its data, which is not weighed. */
    private readonly send: (jobs: DeliveredJob[], bytes: number) => void,
  ) {}

  /** Takes a job for the next {@link flush}. One that no message can hold goes without its data. */
  push(job: DeliveredJob, bytes: number): void {
    this.#jobs.push(bytes <= this.maxBytes ? { job, bytes } : { job: withoutData(job), bytes: 0 });
  }

  /** Sends what is there. */
  flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    let batch: DeliveredJob[] = [];
    let size = 0;
    for (const { job, bytes } of jobs) {
      if (size + bytes > this.maxBytes && batch.length > 0) {
        this.#leave(batch, size);
        batch = [];
        size = 0;
      }
      batch.push(job);
      size += bytes;
    }
    if (batch.length > 0) this.#leave(batch, size);
  }

  #leave(batch: DeliveredJob[], size: number): void {
    const unweighed = batch.some(({ dataOmitted }) => dataOmitted);
    this.send(batch, unweighed ? Number.POSITIVE_INFINITY : size);
  }
}
