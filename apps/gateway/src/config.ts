import type { QueueTag } from '@echomq/core';
import type { ConnectOptions } from '@echomq/core/ioredis';
import type { Limits } from '@echomq/engine';
import { conflicts } from './settings/conflicts.js';
import { LIMIT_KEYS } from './settings/limit-settings.js';
import { isLoopback, type ListenAddress } from './settings/parsers.js';
import { type GivenSettings, readSettings } from './settings/read-settings.js';
import {
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type Values,
  variableOf,
} from './settings/settings.js';

/** All that a gateway is told before it starts. Frozen. Spans in ms, sizes in bytes. */
export interface GatewayConfig {
  readonly listen: ListenAddress;
  /** Paths of PEM files; absent: plain text. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  readonly redis: ConnectOptions;
  readonly prefix: string;
  readonly queueTag: QueueTag;
  readonly sweep: { readonly stalledIntervalMs: number; readonly maxStalledCount: number };
  /** Minutes of metrics to keep per queue. */
  readonly metrics: { readonly maxDataPoints: number };
  readonly drainTimeoutMs: number;
  /** Whether server reflection is answered; `auto` has been decided. */
  readonly reflection: boolean;
  readonly logLevel: Values['logLevel'];
  readonly limits: Limits;
}

/** What the command line asks for. */
export type Loaded =
  | {
      readonly kind: 'run';
      readonly config: GatewayConfig;
      /** Each setting by its key, as text fit to be logged. */
      readonly shown: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'print'; readonly text: string };

/** The configuration is wrong. The message has a line for each problem and repeats no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** What {@link loadConfig} reads; it reads nothing else. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments alone, without node and script. */
  readonly argv?: readonly string[];
  /** The version for `--version`. */
  readonly version?: string;
  /** Whether a file can be read; absent: not checked. */
  readonly readable?: (path: string) => boolean;
}

/**
 * From environment and arguments to a frozen configuration. Pure.
 *
 * @throws ConfigError with every problem, not only the first.
 */
export function loadConfig(sources: ConfigSources): Loaded {
  const given = readSettings(sources.env, sources.argv ?? [], sources.version ?? '0.0.0');
  if (given.print !== undefined) return { kind: 'print', text: given.print };
  const { values, problems } = parseAll(given, sources.readable);
  const all = [...given.problems, ...problems, ...conflicts(values)];
  if (all.length > 0) throw new ConfigError(all);
  const shown = show(given);
  if (given.printConfig) return { kind: 'print', text: `${JSON.stringify(shown, null, 2)}\n` };
  return { kind: 'run', config: toConfig(values as Values), shown };
}

function parseAll(given: GivenSettings, readable: (path: string) => boolean = () => true) {
  const values: Partial<Record<SettingKey, unknown>> = {};
  const problems: string[] = [];
  for (const key of SETTING_KEYS) {
    const { parse, fallback, file }: Setting<unknown> = SETTINGS[key];
    const { text, from } = given.texts.get(key) ?? { text: fallback, from: variableOf(key) };
    if (text === undefined) continue;
    try {
      values[key] = parse(text);
      if (file && !readable(text)) problems.push(`${from}: the file cannot be read`);
    } catch (error) {
      problems.push(`${from}: ${(error as Error).message}`);
    }
  }
  return { values: values as Partial<Values>, problems };
}

function show(given: GivenSettings): Record<string, string> {
  const entries = SETTING_KEYS.flatMap((key) => {
    const { fallback, mask = (text: string) => text }: Setting<unknown> = SETTINGS[key];
    const text = given.texts.get(key)?.text ?? fallback;
    return text === undefined ? [] : [[key, mask(text)] as const];
  });
  return Object.fromEntries(entries);
}

function toConfig(v: Values): GatewayConfig {
  const { tlsCert: cert, tlsKey: key, tlsClientCa: clientCa } = v;
  const limits = Object.fromEntries(LIMIT_KEYS.map((limit) => [limit, v[limit]]));
  return Object.freeze({
    listen: Object.freeze(v.listen),
    ...(cert && key ? { tls: Object.freeze({ cert, key, ...given('clientCa', clientCa) }) } : {}),
    redis: Object.freeze(redisOf(v)),
    prefix: v.prefix,
    queueTag: v.queueTag,
    sweep: Object.freeze({
      stalledIntervalMs: v.stalledIntervalMs,
      maxStalledCount: v.maxStalledCount,
    }),
    metrics: Object.freeze({ maxDataPoints: v.metricsMinutes }),
    drainTimeoutMs: v.drainTimeoutMs,
    reflection: v.reflection === 'on' || (v.reflection === 'auto' && isLoopback(v.listen.host)),
    logLevel: v.logLevel,
    limits: Object.freeze(limits as unknown as Limits),
  });
}

function redisOf(v: Values): ConnectOptions {
  const tls = {
    ...given('ca', v.redisTlsCa),
    ...given('cert', v.redisTlsCert),
    ...given('key', v.redisTlsKey),
  };
  return {
    url: v.redisUrl,
    connectionName: 'echomq-gateway',
    ...given('username', v.redisUsername),
    ...given('passwordFile', v.redisPasswordFile),
    ...(Object.keys(tls).length > 0 ? { tls } : {}),
  };
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
