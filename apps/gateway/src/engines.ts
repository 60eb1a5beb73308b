import type { RedisClient } from '@echomq/core';
import { Engine, type EngineLogger, type EngineObserver, type Services } from '@echomq/engine';
import { DEFAULT_NAMESPACE } from './access/principal.js';
import type { GatewayConfig } from './gateway-config.js';
import type { ServedEngine } from './serve.js';
import { VERSION } from './version.js';

/** How engines are made. */
export interface EnginesOptions {
  readonly config: GatewayConfig;
  readonly logger: EngineLogger;
  /** Hears what the engine of a namespace does; absent: nothing is measured. */
  readonly observerOf?: ((namespace: string) => EngineObserver) | undefined;
}

/**
 * One engine per namespace over one client of Redis: they differ in the prefix of their keys, and no call can name a
 * key outside its own. All of them run from the start, not from the first call on: what a namespace has left from before
 * is swept whether or not somebody asks.
 */
export class Engines implements ServedEngine {
  readonly #engines: ReadonlyMap<string, Engine>;

  constructor(redis: RedisClient, { config, logger, observerOf }: EnginesOptions) {
    const prefixes = [[DEFAULT_NAMESPACE, config.prefix] as const, ...config.namespaces];
    const { queueTag, limits, sweep, backoffs, metrics, compat } = config;
    const shared = { redis, queueTag, limits, sweep, backoffs, metrics, compat };
    const common = { ...shared, serverVersion: VERSION };
    this.#engines = new Map(
      prefixes.map(([namespace, prefix]) => [
        namespace,
        new Engine({
          ...common,
          prefix,
          logger: namedLogger(logger, namespace),
          ...(observerOf ? { observer: observerOf(namespace) } : {}),
        }),
      ]),
    );
  }

  /** All of them, by namespace. */
  get byNamespace(): ReadonlyMap<string, Engine> {
    return this.#engines;
  }

  servicesOf(namespace: string): Services {
    const engine = this.#engines.get(namespace);
    if (!engine) throw new Error('a namespace without an engine');
    return engine.services;
  }

  /** True while all are: they share what makes them so. */
  get ready(): boolean {
    return this.#all.every(({ ready }) => ready);
  }

  onReadyChange(listener: (ready: boolean) => void): () => void {
    let before = this.ready;
    const stops = this.#all.map((engine) =>
      engine.onReadyChange(() => {
        const now = this.ready;
        if (now === before) return;
        before = now;
        listener(now);
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }

  start(): void {
    for (const engine of this.#all) engine.start();
  }

  async drain(options: { readonly timeoutMs: number }): Promise<void> {
    await Promise.all(this.#all.map((engine) => engine.drain(options)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((engine) => engine.close()));
  }

  get #all(): readonly Engine[] {
    return [...this.#engines.values()];
  }
}

/** Lines of a namespace name it; those of the default one are as they were. */
function namedLogger(logger: EngineLogger, namespace: string): EngineLogger {
  if (namespace === DEFAULT_NAMESPACE) return logger;
  return {
    info: (event, facts) => logger.info(event, { namespace, ...facts }),
    warn: (event, facts) => logger.warn(event, { namespace, ...facts }),
    error: (event, facts) => logger.error(event, { namespace, ...facts }),
  };
}
