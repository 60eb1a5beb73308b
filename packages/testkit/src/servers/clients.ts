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
    // A socket's path would win over the address that the caller names.
    const elsewhere = options.port !== undefined || options.sentinels !== undefined;
    const { path, ...named } = this.defaults;
    const all: ClientOptions = {
      maxRetriesPerRequest: 3,
      retryStrategy: () => 20,
      disableClientInfo: true,
      ...named,
      ...(path === undefined || elsewhere ? {} : { path }),
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
    for (const client of this.#open.splice(0)) {
      // A client that has ended would start a timer for a connection that is not there.
      if (client.status !== 'end') client.disconnect();
    }
  }
}
