import { WorkerDirectiveAction, type WorkOpen } from '@echomq/proto/messages';
import type { Clock } from '../ports.js';
import { nearDigest, reportDigest } from '../receipts/report-digest.js';
import { SessionReceipts } from '../receipts/session-receipts.js';
import type { WorkerNote } from '../workers/worker-note.js';
import { ReportMemory } from './report-memory.js';
import { superseded } from './session-messages.js';
import type { WorkStream } from './work-stream.js';

interface Entry {
  readonly memory: ReportMemory;
  readonly receipts: SessionReceipts;
  epoch: number;
  stream: WorkStream;
  open: boolean;
  /** Runs out when nobody resumed the session in time. */
  timer?: unknown;
}

/** What is remembered of a session that a stream has claimed. */
export interface Claimed {
  readonly key: string;
  readonly memory: ReportMemory;
  readonly receipts: SessionReceipts;
  /** The stream before this one; absent: the session begins, or comes from another server. */
  readonly before: WorkStream | undefined;
}

/** The sessions of all workers: one stream for each, the one with the highest epoch. */
export class SessionRegistry {
  readonly #entries = new Map<string, Entry>();
  readonly #streams = new Set<WorkStream>();
  #anonymous = 0;
  #links = 0;
  #onEmpty: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  /** Links that are open, those that have not said who they are included. */
  get links(): number {
    return this.#links;
  }

  /** A link has opened. Returns what to call when it is closed. */
  enter(): () => void {
    this.#links++;
    return () => {
      this.#links--;
    };
  }

  /** Streams that are open. */
  get open(): number {
    return this.#streams.size;
  }

  /** How the sessions of the open streams stand; those that do not say who they are are left out. */
  notes(): WorkerNote[] {
    return [...this.#streams].flatMap((stream) => stream.note() ?? []);
  }

  /**
   * Makes a stream the one of its session; an older one ends. The same ids of another principal are another session.
   *
   * @throws EchoMQError SESSION_SUPERSEDED for an epoch that is not higher than that of the open stream.
   */
  claim(
    { worker, epoch }: Pick<WorkOpen, 'worker' | 'epoch'>,
    stream: WorkStream,
    { principal, near }: { readonly principal: string; readonly near?: boolean | undefined },
  ): Claimed {
    // Without an id of its own nobody can come back to a session.
    const key = worker?.sessionId
      ? JSON.stringify([principal, worker.workerId, worker.sessionId])
      : `${++this.#anonymous}`;
    const entry = this.#entries.get(key);
    if (entry && (epoch < entry.epoch || (entry.open && epoch === entry.epoch))) throw superseded();
    const before = entry?.stream;
    const digestOf = near ? nearDigest : reportDigest;
    const memory = entry?.memory ?? new ReportMemory(digestOf);
    const receipts = entry?.receipts ?? new SessionReceipts(worker, principal, digestOf, near);
    this.clock.clearTimeout(entry?.timer);
    this.#entries.set(key, { memory, receipts, epoch, stream, open: true });
    this.#streams.add(stream);
    if (entry?.open) before?.end(superseded());
    return { key, memory, receipts, before };
  }

  /** The stream that now speaks for a session. */
  current(key: string): WorkStream | undefined {
    return this.#entries.get(key)?.stream;
  }

  /** A stream is over. Its session is remembered for so many ms, if the stream was still the session's. */
  ended(key: string, stream: WorkStream, resumeMs: number): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.#onEmpty?.();
    const entry = this.#entries.get(key);
    if (entry?.stream !== stream) return;
    entry.open = false;
    entry.timer = this.clock.setTimeout(() => {
      if (this.#entries.get(key) !== entry) return;
      this.#entries.delete(key);
      stream.expire();
    }, resumeMs);
  }

  /** Asks all workers to go elsewhere, spread over so many ms. */
  sendAway(spreadMs: number): void {
    for (const stream of this.#streams) {
      stream.sendAway(WorkerDirectiveAction.RECONNECT, Math.random() * spreadMs);
    }
  }

  /** Resolves when no stream is open, or after so many ms. */
  async whenEmpty(limitMs: number): Promise<void> {
    if (this.#streams.size === 0) return;
    let timer: unknown;
    await new Promise<void>((resolve) => {
      timer = this.clock.setTimeout(resolve, limitMs);
      this.#onEmpty = resolve;
    });
    this.clock.clearTimeout(timer);
    this.#onEmpty = undefined;
  }

  /** Ends all streams with this error. */
  endAll(error: Parameters<WorkStream['end']>[0]): void {
    for (const stream of [...this.#streams]) stream.end(error);
  }

  /** Forgets all sessions; nothing is renewed any longer. */
  close(): void {
    for (const { stream, timer } of this.#entries.values()) {
      this.clock.clearTimeout(timer);
      stream.expire();
    }
    this.#entries.clear();
  }
}
