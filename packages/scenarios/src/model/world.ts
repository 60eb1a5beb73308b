import { QueueKeys, type Store } from '@echomq/core';
import type { Lease } from './moves.js';
import type { WorldPlan } from './plan.js';
import type { Attention } from './rules.js';
import { ModelQueue } from './state.js';

/** When the commands' time begins, ms since the epoch. */
const BEGINNING = 1_700_000_000_000;
/** Spans that end only where a command says so: they go by the store's own clock. */
export const LONG_MS = 100_000_000;

/** The queue, its model, and what the clients know. */
export class World {
  readonly queue: QueueKeys;
  readonly model: ModelQueue;
  readonly attention: Attention = {
    awake: false,
    told: Number.POSITIVE_INFINITY,
    toldLimited: false,
    ending: false,
  };
  /** What clients hold, or think so, the newest last. */
  readonly leases: Lease[] = [];
  /** All ids that were ever seen. */
  readonly ids: string[] = ['nobody'];
  now = BEGINNING;
  /** The server has forgotten the scripts: a call may need two. */
  cold = false;
  readonly #begins = new Map<string, number>();
  #tokens = 0;
  #requests = 0;

  constructor(
    readonly store: Store,
    plan: WorldPlan,
    name = 'm',
  ) {
    this.queue = new QueueKeys('bull', name);
    this.model = new ModelQueue(plan);
  }

  /** Minutes for which ends are counted; 0: they are not. */
  get metrics(): number {
    return this.model.limits.uncounted ? 0 : 5;
  }

  /** Writes the queue's bounds. */
  async begin(): Promise<void> {
    const { concurrency, max, maxJobs } = this.model.limits;
    const meta: (string | number)[] = ['opts.maxLenEvents', 10_000];
    if (concurrency !== undefined) meta.push('concurrency', concurrency);
    if (max !== undefined) meta.push('max', max, 'duration', LONG_MS);
    if (maxJobs !== undefined) meta.push('echomq.maxJobs', maxJobs);
    await this.store.redis.send('HSET', [this.queue.meta, ...meta]);
  }

  /** A token that no other delivery has. A run that begins with it begins now. */
  token(): string {
    this.#tokens += 1;
    const token = `t${this.#tokens}`;
    this.#begins.set(token, this.now);
    return token;
  }

  /** When the run of a lease began, if it did, ms. */
  runOf({ token }: Lease): number {
    return this.#begins.get(token) ?? 0;
  }

  /** A name that no other request has. */
  request(): string {
    this.#requests += 1;
    return `r${this.#requests}`;
  }

  /** A lease by its place, the newest first; where none is, one of nobody's. */
  lease(place: number): Lease {
    const { leases } = this;
    return leases[leases.length - 1 - (place % leases.length)] ?? { id: 'nobody', token: 't0' };
  }

  /** An id by its place, the newest first. */
  id(place: number): string {
    return this.ids[this.ids.length - 1 - (place % this.ids.length)] ?? 'nobody';
  }

  /** A client has learnt of a job, and perhaps holds it. */
  learn(id: string, token?: string): void {
    if (!this.ids.includes(id)) this.ids.push(id);
    if (token === undefined) return;
    this.leases.push({ id, token });
    if (this.leases.length > 8) this.leases.shift();
  }

  /** A client has had its answer: it holds the job no more. */
  drop(lease: Lease): void {
    const at = this.leases.findIndex(({ id, token }) => id === lease.id && token === lease.token);
    if (at >= 0) this.leases.splice(at, 1);
  }
}
