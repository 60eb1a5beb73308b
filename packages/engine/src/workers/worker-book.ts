import { type NotedWorker, noteWorkers } from '@echomq/core';
import { logFailure } from '../dispatch/log-failure.js';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { Callers, type CallNote } from './callers.js';
import { aboutOf, stateOf, type WorkerNote } from './worker-note.js';

/** An entry is forgotten so long after it was noted last, ms. */
const TTL_MS = 30_000;
/** A session is noted this often, ms. */
const EVERY_MS = 10_000;
/** Between two looks at who is due, ms: sessions that came together are noted together. */
const LOOK_MS = 1_000;
/** A session that has just come is noted within this, ms. */
const SOON_MS = 50;

/** A session that is noted as long as it is there. */
export interface BookedSession {
  /** How it stands; `undefined` when it counts as gone. */
  note(): WorkerNote | undefined;
}

interface Entry {
  readonly session: BookedSession;
  dueAt: number;
  /** Where it was noted. */
  queues: readonly NamedQueue[];
}

/** Notes in the store who works, so that ListWorkers finds it: never per job, and one script per queue for all. */
export class WorkerBook {
  readonly #sessions = new Map<string, Entry>();
  readonly #callers: Callers;
  /** What is noted with the next look. */
  #next = new Map<string, { readonly queue: NamedQueue; readonly notes: NotedWorker[] }>();
  #timer: unknown;
  #lookAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(private readonly deps: Pick<EngineDeps, 'store' | 'clock' | 'logger'>) {
    this.#callers = new Callers(deps.clock, EVERY_MS);
  }

  /** Notes a session now and from now on. */
  enter(digest: string, session: BookedSession): void {
    this.#sessions.set(digest, { session, dueAt: 0, queues: [] });
    this.#arm(SOON_MS);
  }

  /** Notes it no longer. What stands lapses by itself. */
  drop(digest: string, session: BookedSession): void {
    if (this.#sessions.get(digest)?.session === session) this.#sessions.delete(digest);
  }

  /** It has left in good order: it is listed no longer. Never rejects. */
  async leave(digest: string, session: BookedSession): Promise<void> {
    const entry = this.#sessions.get(digest);
    if (entry?.session !== session) return;
    this.#sessions.delete(digest);
    const { store } = this.deps;
    const removals = entry.queues.flatMap(({ keys }) => [
      store.command('DEL', [keys.worker(digest)]),
      store.command('ZREM', [keys.workers, digest]),
    ]);
    await Promise.allSettled(removals);
  }

  /** A worker without a stream calls: it is noted with its calls. Returns what to call at the call's end. */
  noteCall(digest: string, note: CallNote): () => void {
    const { due, end } = this.#callers.begin(digest, note);
    if (due) this.#plan(digest, due);
    this.#arm(due ? SOON_MS : LOOK_MS);
    return end;
  }

  /** Notes nothing more. */
  close(): void {
    this.#closed = true;
    this.deps.clock.clearTimeout(this.#timer);
    this.#sessions.clear();
  }

  #arm(afterMs: number): void {
    const at = this.deps.clock.now() + afterMs;
    if (this.#closed || at >= this.#lookAt) return;
    this.deps.clock.clearTimeout(this.#timer);
    this.#lookAt = at;
    this.#timer = this.deps.clock.setTimeout(() => this.#look(), afterMs);
  }

  #look(): void {
    this.#lookAt = Number.POSITIVE_INFINITY;
    const now = this.deps.clock.now();
    for (const [digest, entry] of this.#sessions) {
      if (entry.dueAt > now) continue;
      entry.dueAt = now + EVERY_MS;
      const note = entry.session.note();
      if (!note) continue;
      entry.queues = note.queues.map(({ queue }) => queue);
      this.#plan(digest, note);
    }
    for (const { digest, note } of this.#callers.due()) this.#plan(digest, note);
    const planned = this.#next;
    this.#next = new Map();
    for (const { queue, notes } of planned.values()) void this.#write(queue, notes);
    if (this.#sessions.size > 0 || this.#callers.busy) this.#arm(LOOK_MS);
  }

  #plan(session: string, note: WorkerNote): void {
    const about = JSON.stringify(aboutOf(note));
    const heardMsAgo = Math.round(note.heardMsAgo);
    for (const { queue, held } of note.queues) {
      const state = JSON.stringify(stateOf(note, held));
      const planned = this.#next.get(queue.keys.base) ?? { queue, notes: [] };
      planned.notes.push({ session, about, state, heardMsAgo });
      this.#next.set(queue.keys.base, planned);
    }
  }

  async #write({ keys, name }: NamedQueue, notes: readonly NotedWorker[]): Promise<void> {
    if (notes.length === 0) return;
    try {
      await noteWorkers(this.deps.store, keys, notes, { ttlMs: TTL_MS });
    } catch (error) {
      logFailure(this.deps.logger, 'workers.notNoted', error, { queue: name });
    }
  }
}
