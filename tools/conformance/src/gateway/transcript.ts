import type { WorkRequest } from '@echomq/proto/messages';
import { Violation } from '../verdict.js';

type Message = NonNullable<WorkRequest['message']>;

/** What happens at the gateway besides the worker's messages. */
type Happening =
  /** The worker asked for a stream. */
  | { readonly $case: 'attempt'; readonly value: { readonly peer: string } }
  /** The worker closed its side of the stream. */
  | { readonly $case: 'halfClosed'; readonly value: { readonly peer: string } }
  /** The worker broke the stream, or its connection. */
  | { readonly $case: 'broken'; readonly value: { readonly peer: string } }
  /** A unary call, or one for a payload. */
  | { readonly $case: 'call'; readonly value: { readonly method: string; readonly token: string } }
  /** The gateway sent a message, or ended a stream. */
  | { readonly $case: 'sent'; readonly value: { readonly text: string } };

/** One thing that happened. */
export type Occurrence = Message | Happening;

/** The kinds of things that happen. */
export type Kind = Occurrence['$case'];

/** What an occurrence of a kind carries. */
export type ValueOf<K extends Kind> = Extract<Occurrence, { $case: K }>['value'];

/** An occurrence with its place. */
export interface Entry<K extends Kind = Kind> {
  /** Where it stands in the transcript, from 0. */
  readonly index: number;
  /** By `performance.now()`. */
  readonly at: number;
  /** Number of the stream, from 1. */
  readonly stream: number;
  readonly kind: K;
  readonly value: ValueOf<K>;
}

/** Which occurrences are meant. */
export interface Wanted<K extends Kind> {
  /** In words, for the verdict: `no ${what} within 2 s`. */
  readonly what: string;
  /** Only on this stream. */
  readonly stream?: number;
  /** Only from this place of the transcript on. */
  readonly from?: number;
  readonly where?: (value: ValueOf<K>) => boolean;
}

/** All that happened in one case, in order. */
export class Transcript {
  readonly entries: Entry[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #startedAt = performance.now();
  #closed = false;

  /** Notes what happened. */
  add(stream: number, { $case, value }: Occurrence): void {
    const index = this.entries.length;
    this.entries.push({ index, at: performance.now(), stream, kind: $case, value });
    for (const listener of [...this.#listeners]) listener();
  }

  /** The place after the last entry. */
  get end(): number {
    return this.entries.length;
  }

  /** All that is wanted, so far. */
  all<K extends Kind>(kind: K, wanted: Omit<Wanted<K>, 'what'> = {}): Entry<K>[] {
    const { from = 0, stream, where } = wanted;
    return this.entries.slice(from).filter((entry) => {
      if (entry.kind !== kind || (stream !== undefined && stream !== entry.stream)) return false;
      return where?.(entry.value as ValueOf<K>) ?? true;
    }) as unknown as Entry<K>[];
  }

  /**
   * The first that is wanted, also if it has happened already.
   *
   * @throws Violation when it does not happen within so many ms from now
   */
  async first<K extends Kind>(kind: K, wanted: Wanted<K>, withinMs: number): Promise<Entry<K>> {
    const found = await this.#within(() => this.all(kind, wanted)[0], withinMs);
    if (found) return found;
    throw new Violation(`no ${wanted.what} within ${seconds(withinMs)}`);
  }

  /**
   * Watches for what must not happen.
   *
   * @throws Violation as soon as it happens
   */
  async never<K extends Kind>(kind: K, wanted: Wanted<K>, forMs: number): Promise<void> {
    const found = await this.#within(() => this.all(kind, wanted)[0], forMs);
    if (found) throw new Violation(`${wanted.what}, after ${seconds(this.#age(found))}`);
  }

  /** Whether it comes to hold within so many ms; asked after each entry. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    return (await this.#within(() => (holds() ? true : undefined), withinMs)) ?? false;
  }

  /** Lets so many ms pass. */
  async pause(ms: number): Promise<void> {
    await this.#within(() => undefined, ms);
  }

  /** The case is over: whoever still waits, waits no longer. */
  close(): void {
    this.#closed = true;
    for (const listener of [...this.#listeners]) listener();
  }

  /** A line for each entry. */
  lines(): string[] {
    return this.entries.map((entry) => {
      const arrow = entry.kind === 'sent' ? '<-' : '->';
      const { value } = entry as Entry<'sent'>;
      const text = entry.kind === 'sent' ? value.text : `${entry.kind} ${brief(entry.value)}`;
      return `${seconds(this.#age(entry))} stream ${entry.stream} ${arrow} ${text}`;
    });
  }

  #age({ at }: { readonly at: number }): number {
    return at - this.#startedAt;
  }

  /** What `look` finds, asked after each entry; undefined when the time is over. */
  #within<Found>(look: () => Found | undefined, withinMs: number): Promise<Found | undefined> {
    return new Promise((resolve) => {
      const settle = (found: Found | undefined) => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve(found);
      };
      const listener = () => {
        const found = look();
        if (found !== undefined || this.#closed) settle(found);
      };
      const timer = setTimeout(() => settle(undefined), withinMs);
      this.#listeners.add(listener);
      listener();
    });
  }
}

/** A span for people. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const MAX_BRIEF = 400;

/** A message in short: bytes as text, what is not set left out. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part === undefined || part === '') return undefined;
    const bytes = part as { readonly type?: string; readonly data?: number[] };
    if (bytes?.type === 'Buffer' && bytes.data) return Buffer.from(bytes.data).toString();
    return part;
  });
  return text.length > MAX_BRIEF ? `${text.slice(0, MAX_BRIEF)}…` : text;
}
