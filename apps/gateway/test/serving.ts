import type { EngineLogger } from '@echomq/engine';
import { type ChannelOptions, type Client, credentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../src/config.js';
import type { GatewayConfig } from '../src/gateway-config.js';
import { type Gateway, type ServedEngine, serve } from '../src/serve.js';
import type { CallWatcher } from '../src/watching/watch-calls.js';

/** A line of the log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly facts: object;
}

/** A logger that keeps its lines. */
export function keptLog(): EngineLogger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (event: string, facts: object) => {
    lines.push({ level, event, facts });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

/** A configuration for tests: a free port of loopback. */
export function testConfig(env: Readonly<Record<string, string>> = {}): GatewayConfig {
  const loaded = loadConfig({ env: { ECHOMQ_LISTEN: '127.0.0.1:0', ...env } });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  return loaded.config;
}

interface Serving {
  readonly gateway: Gateway;
  readonly log: ReturnType<typeof keptLog>;
  /** A client of its own connection, closed with the test. */
  client<C extends Client>(
    make: new (
      address: string,
      creds: ReturnType<typeof credentials.createInsecure>,
      options: ChannelOptions,
    ) => C,
    options?: ChannelOptions,
  ): C;
}

/** Serves an engine for the length of the running test. */
export async function serving(
  engine: ServedEngine,
  env: Readonly<Record<string, string>> = {},
  watchers: readonly CallWatcher[] = [],
): Promise<Serving> {
  const log = keptLog();
  const gateway = await serve(engine, testConfig(env), log, watchers);
  onTestFinished(() => gateway.close());
  return {
    gateway,
    log,
    client: (Make, options = {}) => clientOf(gateway.address, Make, options),
  };
}

/** A client of its own connection, closed with the running test. */
export function clientOf<C extends Client>(
  address: string,
  Make: new (
    address: string,
    creds: ReturnType<typeof credentials.createInsecure>,
    options: ChannelOptions,
  ) => C,
  options: ChannelOptions = {},
): C {
  const client = new Make(address, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The port of `host:port`. */
export const portOf = (address: string): number => Number(address.split(':').at(-1));
