import { randomUUID } from 'node:crypto';
import {
  addJob,
  moveToActive,
  moveToFinished,
  pause,
  QueueKeys,
  resume,
  type Store,
  type StoredJob,
} from '@echomq/core';
import type { Redis } from 'ioredis';
import type { House, Task, TaskOptions, Work } from './house.js';

/** Where EchoMQ's core works. */
export interface CoreGround {
  readonly store: Store;
  /** A connection that may block. */
  connect(): Redis;
}

/** EchoMQ by the bindings of its core alone, without an engine: each worker is a loop over the transitions. */
export function coreHouse(ground: CoreGround, queueName: string): House {
  const { store } = ground;
  const queue = new QueueKeys('bull', queueName);
  const loops: Loop[] = [];
  return {
    async add(task, options = {}) {
      return (await addJob(store, queue, newJob(task, options))).jobId;
    },
    work(work) {
      const loop = new Loop(store, ground.connect(), queue);
      loops.push(loop);
      loop.start(work);
    },
    pause: () => pause(store, queue),
    resume: () => resume(store, queue),
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}

function newJob(task: Task, options: TaskOptions) {
  const { jobId, delay, priority, lifo } = options;
  return {
    name: 'task',
    data: JSON.stringify(task),
    opts: JSON.stringify({ attempts: 0, ...options }),
    ...(jobId === undefined ? {} : { customId: jobId }),
    ...(delay === undefined ? {} : { delay }),
    ...(priority === undefined ? {} : { priority }),
    ...(lifo === undefined ? {} : { lifo }),
  };
}

const LOCK_MS = 30_000;

/** One worker with one slot. It waits on the marker as BullMQ's workers do. */
class Loop {
  readonly #store: Store;
  readonly #blocking: Redis;
  readonly #queue: QueueKeys;
  #closing = false;
  #done: Promise<void> = Promise.resolve();

  constructor(store: Store, blocking: Redis, queue: QueueKeys) {
    this.#store = store;
    this.#blocking = blocking;
    this.#queue = queue;
  }

  start(work: Work): void {
    this.#done = this.#run(work);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#blocking.disconnect();
    await this.#done;
  }

  async #run(work: Work): Promise<void> {
    while (!this.#closing) {
      let token = randomUUID();
      let found = await moveToActive(this.#store, this.#queue, { token, lockDuration: LOCK_MS });
      while (found.kind === 'job') {
        const nextToken = randomUUID();
        found = await this.#carryOut(found.job, work, { token, nextToken });
        token = nextToken;
      }
      await this.#wait(found.kind === 'idle' ? found.nextDueAt : undefined);
    }
  }

  async #carryOut(job: StoredJob, work: Work, tokens: { token: string; nextToken: string }) {
    const task = JSON.parse(job.data.toString()) as Task;
    const end = await work({ id: job.id, task, attemptsMade: job.attemptsMade }).then(
      (result) => ({ target: 'completed', value: JSON.stringify(result ?? null) }) as const,
      (error: Error) => ({ target: 'failed', value: error.message }) as const,
    );
    const { next } = await moveToFinished(this.#store, this.#queue, {
      jobId: job.id,
      ...end,
      fetchNext: !this.#closing,
      options: { ...tokens, lockDuration: LOCK_MS, retry: { mode: 'DEFAULT' } },
    });
    return next;
  }

  /** Until work may wait: a marker, a due time, or a second, whichever comes first. */
  async #wait(dueAt: number | undefined): Promise<void> {
    if (this.#closing) return;
    const ms = dueAt === undefined ? 1_000 : Math.min(Math.max(dueAt - Date.now(), 1), 1_000);
    const popped = this.#blocking.bzpopmin(this.#queue.marker, ms / 1_000);
    // Closing disconnects.
    await popped.catch(() => undefined);
  }
}
