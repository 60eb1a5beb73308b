import { isLoopback } from './parsers.js';
import type { SettingKey, Values } from './settings.js';

/** What room a message needs beside its payloads: names, ids, options, headers. */
const ENVELOPE_BYTES = 65_536;

/** What a message calls a setting: the place where it was given. */
export type NameOf = (key: SettingKey) => string;

/**
 * What is wrong between settings that are each right by themselves. A setting that did not parse is absent here and is
 * not blamed again.
 */
export function conflicts(v: Partial<Values>, name: NameOf): string[] {
  return [
    ...transport(v, name),
    ...callers(v, name),
    ...namespaces(v, name),
    ...metrics(v, name),
    ...dashboard(v, name),
    ...store(v, name),
    ...ORDERED.flatMap(([less, more]) => order(v, [less, more], name)),
  ];
}

function transport(v: Partial<Values>, name: NameOf): string[] {
  const problems = pair(v, ['tlsCert', 'tlsKey'], name);
  const tls = v.tlsCert !== undefined || v.tlsKey !== undefined;
  if (v.tlsClientCa !== undefined && !tls) {
    problems.push(`${name('tlsClientCa')}: needs ${name('tlsCert')} and ${name('tlsKey')}`);
  }
  if (v.listen && !tls && v.insecure === false && !isLoopback(v.listen.host)) {
    problems.push(
      `${name('listen')}: plain text is served on loopback alone; set ${name('tlsCert')} and ` +
        `${name('tlsKey')}, or ${name('insecure')}=true where the network is trusted`,
    );
  }
  return problems;
}

function callers(v: Partial<Values>, name: NameOf): string[] {
  const problems: string[] = [];
  const told = v.accessFile ?? v.jwtKeys ?? v.tlsClientCa;
  const trusted = v.auth === 'none' || v.insecure !== false;
  if (v.listen && !isLoopback(v.listen.host) && told === undefined && !trusted) {
    problems.push(
      `${name('listen')}: everybody is served on loopback alone; set ${name('accessFile')}, ` +
        `${name('jwtKeys')} or ${name('tlsClientCa')}, or ${name('auth')}=none`,
    );
  }
  if (v.auth === 'none') {
    for (const key of ['accessFile', 'jwtKeys'] as const) {
      if (v[key] !== undefined) problems.push(`${name(key)}: ${name('auth')} is none`);
    }
  }
  for (const key of ['jwtIssuer', 'jwtAudience'] as const) {
    const [set, needed] = [v[key] !== undefined, v.jwtKeys !== undefined];
    if (needed && !set) problems.push(`${name('jwtKeys')}: needs ${name(key)}`);
    if (set && !needed) problems.push(`${name(key)}: needs ${name('jwtKeys')}`);
  }
  return problems;
}

function metrics(v: Partial<Values>, name: NameOf): string[] {
  const { metricsListen: listen, metricsTokenFile: token, metricsOpen: open } = v;
  if (!listen)
    return token === undefined
      ? []
      : [`${name('metricsTokenFile')}: needs ${name('metricsListen')}`];
  if (isLoopback(listen.host) || token !== undefined || open !== false) return [];
  return [
    `${name('metricsListen')}: everybody may read metrics on loopback alone; set ` +
      `${name('metricsTokenFile')}, or ${name('metricsOpen')}=true where the network is trusted`,
  ];
}

function dashboard(v: Partial<Values>, name: NameOf): string[] {
  const { dashboardListen: listen } = v;
  if (!listen) return [];
  const problems: string[] = [];
  const tokens = v.accessFile !== undefined || v.jwtKeys !== undefined;
  const trusted = v.auth === 'none' || v.insecure !== false;
  if (!tokens && v.tlsClientCa !== undefined && v.auth !== 'none') {
    problems.push(
      `${name('dashboardListen')}: one signs in there with a token; set ${name('accessFile')} or ` +
        `${name('jwtKeys')}`,
    );
  } else if (!tokens && !trusted && !isLoopback(listen.host)) {
    problems.push(
      `${name('dashboardListen')}: everybody is served on loopback alone; set ` +
        `${name('accessFile')} or ${name('jwtKeys')}, or ${name('auth')}=none`,
    );
  }
  if (v.tlsCert === undefined && v.insecure === false && !isLoopback(listen.host)) {
    problems.push(
      `${name('dashboardListen')}: plain text is served on loopback alone; set ` +
        `${name('tlsCert')} and ${name('tlsKey')}, or ${name('insecure')}=true where the network ` +
        'is trusted',
    );
  }
  return problems;
}

function namespaces(v: Partial<Values>, name: NameOf): string[] {
  if (v.namespaces === undefined || v.namespaces.size === 0) return [];
  const problems: string[] = [];
  if (v.auth === 'none' || (v.accessFile ?? v.jwtKeys) === undefined) {
    problems.push(
      `${name('namespaces')}: nobody can be in one without ${name('accessFile')} or ${name('jwtKeys')}`,
    );
  }
  const prefixes = [...v.namespaces.values(), ...(v.prefix === undefined ? [] : [v.prefix])];
  const overlap = prefixes.some((one, at) =>
    prefixes.some((other, place) => at !== place && `${other}:`.startsWith(`${one}:`)),
  );
  if (overlap) problems.push(`${name('namespaces')}: a prefix lies within another`);
  return problems;
}

function store(v: Partial<Values>, name: NameOf): string[] {
  const problems = pair(v, ['redisTlsCert', 'redisTlsKey'], name);
  const tls = v.redisTlsCa ?? v.redisTlsCert ?? v.redisTlsKey ?? v.redisTlsServerName;
  const url = v.redisUrl;
  if (tls !== undefined && url !== undefined && !url.startsWith('rediss')) {
    problems.push('ECHOMQ_REDIS_TLS_…: certificates need a rediss:// URL');
  }
  const sentinel = v.redisSentinelUsername ?? v.redisSentinelPasswordFile;
  if (sentinel !== undefined && url !== undefined && !url.includes('+sentinel:')) {
    problems.push('ECHOMQ_REDIS_SENTINEL_…: needs a redis+sentinel:// URL');
  }
  const largest = Math.max(v.maxPayloadBytes ?? 0, v.maxResponseBytes ?? 0);
  if (v.maxMessageBytes !== undefined && largest + ENVELOPE_BYTES > v.maxMessageBytes) {
    problems.push(
      `${name('maxMessageBytes')}: must exceed ${name('maxPayloadBytes')} and ` +
        `${name('maxResponseBytes')} by ${ENVELOPE_BYTES}`,
    );
  }
  return problems;
}

function pair(
  v: Partial<Values>,
  [one, other]: readonly [SettingKey, SettingKey],
  name: NameOf,
): string[] {
  if ((v[one] === undefined) === (v[other] === undefined)) return [];
  return [`${name(one)} and ${name(other)}: both or none`];
}

/** Pairs of which the first must not exceed the second. */
const ORDERED: readonly (readonly [SettingKey, SettingKey])[] = [
  ['minLockMs', 'defaultLockMs'],
  ['defaultLockMs', 'maxLockMs'],
  ['maxLockMs', 'maxLockLifetimeMs'],
  ['defaultWaitMs', 'maxWaitMs'],
  ['defaultPageSize', 'maxPageSize'],
];

function order(
  v: Partial<Values>,
  [less, more]: readonly [SettingKey, SettingKey],
  name: NameOf,
): string[] {
  const [low, high] = [v[less], v[more]];
  if (typeof low !== 'number' || typeof high !== 'number' || low <= high) return [];
  return [`${name(less)}: must not exceed ${name(more)}`];
}
