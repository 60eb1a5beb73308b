import { Redis, type RedisOptions } from 'ioredis';

/** What a test may ask of a client; replies always have their plain RESP2 shapes. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

/** The clients that a test has opened on one server, closed together. */
export class Clients {
  readonly #open: Redis[] = [];

  constructor(private readonly defaults: ClientOptions) {}

  /**
   * A new client. It reconnects after 20 ms and gives a command up after 3 reconnections, so that a
   * test with a dead server fails soon; its connection errors are silent.
   */
  connect(options: ClientOptions = {}): Redis {
    const all: ClientOptions = {
      maxRetriesPerRequest: 3,
      retryStrategy: () => 20,
      disableClientInfo: true,
      ...this.defaults,
      ...options,
    };
    const client = new Redis(all);
    // Without a listener ioredis writes each lost connection to the console.
    client.on('error', () => {});
    this.#open.push(client);
    return client;
  }

  /** Closes them all, whatever they are waiting for. */
  closeAll(): void {
    for (const client of this.#open.splice(0)) client.disconnect();
  }
}
