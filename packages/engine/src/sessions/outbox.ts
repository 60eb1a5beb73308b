import type { DeliveredJob } from '@echomq/proto/messages';
import { withoutData } from '../messages/sizes.js';

/** Gathers the jobs that leave in one turn of the event loop into as few messages as their size allows. */
export class Outbox {
  #jobs: { readonly job: DeliveredJob; readonly bytes: number }[] = [];

  constructor(
    private readonly maxBytes: number,
    private readonly send: (jobs: DeliveredJob[]) => void,
  ) {}

  /** Sends the job before this turn is over. One that no message can hold goes without its data. */
  push(job: DeliveredJob, bytes: number): void {
    this.#jobs.push(bytes <= this.maxBytes ? { job, bytes } : { job: withoutData(job), bytes: 0 });
    // After all answers of this turn: what they bring leaves together.
    if (this.#jobs.length === 1) process.nextTick(() => this.flush());
  }

  /** Sends what is there. */
  flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    let batch: DeliveredJob[] = [];
    let size = 0;
    for (const { job, bytes } of jobs) {
      if (size + bytes > this.maxBytes && batch.length > 0) {
        this.send(batch);
        batch = [];
        size = 0;
      }
      batch.push(job);
      size += bytes;
    }
    if (batch.length > 0) this.send(batch);
  }
}
