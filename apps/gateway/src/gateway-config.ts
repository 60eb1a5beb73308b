import type { QueueTag } from '@echomq/core';
import type { ConnectOptions } from '@echomq/core/ioredis';
import type { Limits, NamedBackoff } from '@echomq/engine';
import type { JwtRules } from './access/jwt.js';
import { LIMIT_KEYS } from './settings/limit-settings.js';
import { isLoopback, type ListenAddress } from './settings/parsers.js';
import type { Values } from './settings/settings.js';

/** Who may call. Spans in ms. */
export interface AccessConfig {
  /** Whether callers must show who they are. */
  readonly required: boolean;
  /** Path of the access file. */
  readonly file?: string;
  readonly jwt?: {
    /** A file or a URL. */
    readonly jwks: string;
    readonly rules: JwtRules;
    /** The claim that holds namespace and rights. */
    readonly claim: string;
  };
  /** Between two looks at the credentials of open streams. */
  readonly recheckMs: number;
  /** From the word to a worker whose credentials lapsed to the end of its stream. */
  readonly graceMs: number;
}

/** How metrics are served. */
export interface MetricsConfig {
  readonly listen: ListenAddress;
  /** Path of the file with the bearer token; absent: everybody may read. */
  readonly tokenFile?: string;
  /** Queues of the default namespace that are always shown. */
  readonly queues: readonly string[];
  /** Queues, and workers, with labels of their own. */
  readonly maxQueues: number;
  readonly maxWorkers: number;
}

/** All that a gateway is told before it starts. Frozen. Spans in ms, sizes in bytes. */
export interface GatewayConfig {
  readonly listen: ListenAddress;
  /** Paths of PEM files; absent: plain text. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  readonly access: AccessConfig;
  /** Between two looks at files that may change. */
  readonly reloadMs: number;
  readonly redis: ConnectOptions;
  /** The login of the sentinels themselves; the password is in a file. */
  readonly sentinel?: { readonly username?: string; readonly passwordFile?: string };
  /** The prefix of the default namespace. */
  readonly prefix: string;
  /** The prefixes of the others by their names. */
  readonly namespaces: ReadonlyMap<string, string>;
  readonly queueTag: QueueTag;
  readonly sweep: { readonly stalledIntervalMs: number; readonly maxStalledCount: number };
  /** Backoffs that jobs ask for by name. */
  readonly backoffs: Readonly<Record<string, NamedBackoff>>;
  /** Minutes of metrics to keep per queue. */
  readonly metrics: { readonly maxDataPoints: number };
  /** What is done for BullMQ's sake alone. */
  readonly compat: { readonly workerList: boolean };
  readonly drainTimeoutMs: number;
  /** How late the event loop may be before health says NOT_SERVING; 0: however late. */
  readonly maxLoopDelayMs: number;
  /** Whether server reflection is answered, and to whom; `auto` has been decided. */
  readonly reflection: 'off' | 'open' | 'admin';
  readonly logLevel: Values['logLevel'];
  readonly logFormat: Values['logFormat'];
  /** Where the dashboard is served; absent: nowhere. */
  readonly dashboard?: ListenAddress;
  /** Where and how metrics are served; absent: nothing is measured. */
  readonly metricsServer?: MetricsConfig;
  /** Where spans go, and which share of the traces that begin here; absent: no tracing. */
  readonly tracing?: { readonly url: string; readonly share: number };
  readonly limits: Limits;
  /** Limits of the transport: what one principal may have under way, and the bytes of a call's metadata. */
  readonly quotas: {
    readonly maxStreamsPerPrincipal: number;
    readonly maxWaitersPerPrincipal: number;
    readonly maxMetadataBytes: number;
    /** How long a full stream may stay full with nothing read from it. */
    readonly maxUnreadMs: number;
  };
}

/** The configuration that checked values make. */
export function toConfig(v: Values): GatewayConfig {
  const { tlsCert: cert, tlsKey: key, tlsClientCa: clientCa } = v;
  const limits = Object.fromEntries(LIMIT_KEYS.map((limit) => [limit, v[limit]]));
  const { maxStreamsPerPrincipal, maxWaitersPerPrincipal, maxMetadataBytes, maxUnreadMs } = v;
  return Object.freeze({
    listen: Object.freeze(v.listen),
    ...(cert && key ? { tls: Object.freeze({ cert, key, ...given('clientCa', clientCa) }) } : {}),
    access: Object.freeze(accessOf(v)),
    reloadMs: v.reloadMs,
    redis: Object.freeze(redisOf(v)),
    ...given('sentinel', sentinelOf(v)),
    prefix: v.prefix,
    namespaces: v.namespaces,
    queueTag: v.queueTag,
    sweep: Object.freeze({
      stalledIntervalMs: v.stalledIntervalMs,
      maxStalledCount: v.maxStalledCount,
    }),
    backoffs: Object.freeze(v.backoffs),
    metrics: Object.freeze({ maxDataPoints: v.metricsMinutes }),
    compat: Object.freeze({ workerList: v.compatWorkerList }),
    drainTimeoutMs: v.drainTimeoutMs,
    maxLoopDelayMs: v.maxLoopDelayMs,
    reflection: reflectionOf(v),
    logLevel: v.logLevel,
    logFormat: v.logFormat,
    ...given('dashboard', v.dashboardListen),
    ...given('metricsServer', metricsOf(v)),
    ...given('tracing', v.traceUrl ? { url: v.traceUrl, share: v.traceShare } : undefined),
    limits: Object.freeze(limits as unknown as Limits),
    quotas: Object.freeze({
      ...{ maxStreamsPerPrincipal, maxWaitersPerPrincipal },
      ...{ maxMetadataBytes, maxUnreadMs },
    }),
  });
}

function reflectionOf({ reflection, listen }: Values): GatewayConfig['reflection'] {
  if (isLoopback(listen.host)) return reflection === 'off' ? 'off' : 'open';
  return reflection === 'on' ? 'admin' : 'off';
}

function accessOf(v: Values): AccessConfig {
  const { jwtKeys: jwks, jwtIssuer: issuer, jwtAudience: audience } = v;
  const [algorithms, toleranceMs] = [v.jwtAlgorithms, v.jwtToleranceMs];
  const rules = issuer && audience ? { issuer, audience, algorithms, toleranceMs } : undefined;
  const told = v.accessFile ?? jwks ?? v.tlsClientCa;
  return {
    required: v.auth !== 'none' && told !== undefined,
    ...given('file', v.accessFile),
    ...(jwks && rules ? { jwt: { jwks, rules, claim: v.jwtClaim } } : {}),
    recheckMs: v.authRecheckMs,
    graceMs: v.authGraceMs,
  };
}

function metricsOf(v: Values): MetricsConfig | undefined {
  if (!v.metricsListen) return undefined;
  return {
    listen: v.metricsListen,
    ...given('tokenFile', v.metricsTokenFile),
    queues: v.metricsQueues ?? [],
    maxQueues: v.metricsMaxQueues,
    maxWorkers: v.metricsMaxWorkers,
  };
}

function sentinelOf(v: Values): GatewayConfig['sentinel'] {
  const sentinel = {
    ...given('username', v.redisSentinelUsername),
    ...given('passwordFile', v.redisSentinelPasswordFile),
  };
  return Object.keys(sentinel).length > 0 ? sentinel : undefined;
}

function redisOf(v: Values): ConnectOptions {
  const tls = {
    ...given('ca', v.redisTlsCa),
    ...given('cert', v.redisTlsCert),
    ...given('key', v.redisTlsKey),
    ...given('serverName', v.redisTlsServerName),
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
