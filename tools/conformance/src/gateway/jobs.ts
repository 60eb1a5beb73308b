import { type DeliveredJob, msToDuration } from '@echomq/proto/messages';
import type { Spans } from '../spans.js';

/** Makes jobs as a gateway delivers them: for the handlers that docs/protocol.md asks a candidate to have. */
export class JobMaker {
  readonly #queue: string;
  readonly #spans: Spans;
  #made = 0;

  constructor(queue: string, spans: Spans) {
    this.#queue = queue;
    this.#spans = spans;
  }

  /** Brings back its data. */
  echo(data: unknown = { n: this.#made + 1 }): DeliveredJob {
    return this.job('echo', data);
  }

  /** Takes so many ms and says ten times how far it is. */
  slow(ms: number): DeliveredJob {
    return this.job('slow', { ms });
  }

  /** Fails `failures` times before it succeeds. @param attempt the attempt that begins, from 1 */
  flaky(failures: number, attempt: number): DeliveredJob {
    return { ...this.job('flaky', { failures }), attempt, attemptsStarted: attempt };
  }

  /** Any job. */
  job(name: string, data: unknown): DeliveredJob {
    this.#made += 1;
    const bytes = Buffer.from(JSON.stringify(data));
    return {
      lease: { queue: this.#queue, jobId: `${this.#made}`, leaseToken: this.#token() },
      name,
      data: bytes,
      dataOmitted: false,
      dataSize: bytes.length,
      options: undefined,
      attempt: 1,
      attemptsStarted: 1,
      stalledCount: 0,
      createdAt: new Date(),
      priority: 0,
      lockTtl: msToDuration(this.#spans.lockMs),
      parent: undefined,
      schedulerId: '',
      headers: {},
      lastProgress: Buffer.alloc(0),
      deduplicationId: '',
    };
  }

  /** The same job, delivered anew: another token, one start more. */
  again(job: DeliveredJob, change: Partial<DeliveredJob> = {}): DeliveredJob {
    this.#made += 1;
    const lease = {
      queue: this.#queue,
      jobId: job.lease?.jobId ?? '',
      leaseToken: this.#token(),
    };
    return { ...job, attemptsStarted: job.attemptsStarted + 1, ...change, lease };
  }

  #token(): string {
    return `token-${this.#made}-${Math.random().toString(36).slice(2, 10)}`;
  }
}

/** The token of a delivery. */
export function tokenOf(job: DeliveredJob): string {
  return job.lease?.leaseToken ?? '';
}
