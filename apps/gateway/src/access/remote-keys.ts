import { type KeySet, readKeySet } from './key-set.js';

/** Bounds on what is asked of the issuer. Spans in ms. */
export interface RemoteKeyBounds {
  /** Keys older than this are asked for again, while they go on to serve. */
  readonly refreshMs: number;
  /** Keys older than this serve no longer. */
  readonly staleMs: number;
  /** Between two requests, whatever tokens come. */
  readonly pauseMs: number;
  readonly timeoutMs: number;
  /** Size of an answer. */
  readonly maxBytes: number;
}

/** What holds unless a test says otherwise. */
export const REMOTE_KEY_BOUNDS: RemoteKeyBounds = {
  refreshMs: 300_000,
  staleMs: 86_400_000,
  pauseMs: 30_000,
  timeoutMs: 5_000,
  maxBytes: 1_048_576,
};

/** What {@link RemoteKeys} tells of what went wrong. */
export type Warn = (problem: string) => void;

/**
 * The key set behind a URL. It is asked for when a token needs it and not by a timer; an issuer that is away is no
 * trouble for as long as its last keys may serve.
 */
export class RemoteKeys {
  #keys: KeySet | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | undefined;

  constructor(
    private readonly url: string,
    private readonly warn: Warn,
    private readonly bounds: RemoteKeyBounds = REMOTE_KEY_BOUNDS,
  ) {}

  /** The keys; `undefined` when there are none that may serve. Waits for the issuer only then. */
  async current(): Promise<KeySet | undefined> {
    const age = performance.now() - this.#loadedAt;
    if (age > this.bounds.refreshMs) {
      const asked = this.ask();
      if (age > this.bounds.staleMs) await asked;
    }
    return performance.now() - this.#loadedAt > this.bounds.staleMs ? undefined : this.#keys;
  }

  /** Asks the issuer, unless it was asked just now. Whether there is an answer that is new. Never rejects. */
  ask(): Promise<boolean> {
    if (this.#asking) return this.#asking;
    if (performance.now() - this.#askedAt < this.bounds.pauseMs) return Promise.resolve(false);
    this.#askedAt = performance.now();
    this.#asking = this.#load().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #load(): Promise<boolean> {
    try {
      // A redirect could lead to anybody.
      const response = await fetch(this.url, {
        redirect: 'error',
        headers: { accept: 'application/jwk-set+json, application/json' },
        signal: AbortSignal.timeout(this.bounds.timeoutMs),
      });
      if (!response.ok) throw new Error(`status ${response.status}`);
      this.#keys = readKeySet(await boundedText(response, this.bounds.maxBytes));
      this.#loadedAt = performance.now();
      return true;
    } catch (error) {
      const { message, cause } = error as Error;
      this.warn(cause instanceof Error ? `${message}: ${cause.message}` : message);
      return false;
    }
  }
}

async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
