import { type ChannelCredentials, type ChannelOptions, Client } from '@grpc/grpc-js';

/** What a channel is made of. */
export interface ChannelSettings {
  readonly address: string;
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/**
 * A channel with a count of what runs on it. It is closed only when nothing does: grpc-js breaks the streams of a
 * closing connection at the next keepalive ping (grpc-node #3068).
 */
export class GrpcChannel {
  readonly client: Client;
  readonly #madeAt = performance.now();
  #uses = 0;
  #retired = false;

  constructor(settings: ChannelSettings) {
    this.client = new Client(settings.address, settings.credentials, settings.options);
  }

  /** How old it is. */
  get ageMs(): number {
    return performance.now() - this.#madeAt;
  }

  /** Counts a call in. Returns the way to count it out, which may be called more than once. */
  use(): () => void {
    this.#uses += 1;
    let used = true;
    return () => {
      if (!used) return;
      used = false;
      this.#uses -= 1;
      this.#closeIfIdle();
    };
  }

  /** No new calls come; the channel closes as the last one ends. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#retired && this.#uses === 0) this.client.close();
  }
}
