import { isLoopback } from './parsers.js';
import { type SettingKey, type Values, variableOf } from './settings.js';

/** What room a message needs beside its payloads: names, ids, options, headers. */
const ENVELOPE_BYTES = 65_536;

/**
 * What is wrong between settings that are each right by themselves. A setting that did not parse is absent here and is
 * not blamed again.
 */
export function conflicts(v: Partial<Values>): string[] {
  return [...transport(v), ...store(v), ...ORDERED.flatMap(([less, more]) => order(v, less, more))];
}

function transport(v: Partial<Values>): string[] {
  const problems: string[] = [];
  const tls = v.tlsCert !== undefined || v.tlsKey !== undefined;
  if (tls && (v.tlsCert === undefined || v.tlsKey === undefined)) {
    problems.push('ECHOMQ_TLS_CERT and ECHOMQ_TLS_KEY: both or none');
  }
  if (v.tlsClientCa !== undefined && !tls) {
    problems.push('ECHOMQ_TLS_CLIENT_CA: needs ECHOMQ_TLS_CERT and ECHOMQ_TLS_KEY');
  }
  if (v.listen && !tls && v.insecure === false && !isLoopback(v.listen.host)) {
    problems.push(
      'ECHOMQ_LISTEN: plain text is served on loopback alone; set ECHOMQ_TLS_CERT and ' +
        'ECHOMQ_TLS_KEY, or ECHOMQ_INSECURE=true where the network is trusted',
    );
  }
  return problems;
}

function store(v: Partial<Values>): string[] {
  const problems: string[] = [];
  if ((v.redisTlsCert === undefined) !== (v.redisTlsKey === undefined)) {
    problems.push('ECHOMQ_REDIS_TLS_CERT and ECHOMQ_REDIS_TLS_KEY: both or none');
  }
  const tls = v.redisTlsCa ?? v.redisTlsCert ?? v.redisTlsKey;
  if (tls !== undefined && v.redisUrl !== undefined && !v.redisUrl.startsWith('rediss')) {
    problems.push('ECHOMQ_REDIS_TLS_…: certificates need a rediss:// URL');
  }
  const largest = Math.max(v.maxPayloadBytes ?? 0, v.maxResponseBytes ?? 0);
  if (v.maxMessageBytes !== undefined && largest + ENVELOPE_BYTES > v.maxMessageBytes) {
    problems.push(
      `ECHOMQ_MAX_MESSAGE_BYTES: must exceed ECHOMQ_MAX_PAYLOAD_BYTES and ECHOMQ_MAX_RESPONSE_BYTES by ${ENVELOPE_BYTES}`,
    );
  }
  return problems;
}

/** Pairs of which the first must not exceed the second. */
const ORDERED: readonly (readonly [SettingKey, SettingKey])[] = [
  ['minLockMs', 'defaultLockMs'],
  ['defaultLockMs', 'maxLockMs'],
  ['maxLockMs', 'maxLockLifetimeMs'],
  ['defaultWaitMs', 'maxWaitMs'],
  ['defaultPageSize', 'maxPageSize'],
];

function order(v: Partial<Values>, less: SettingKey, more: SettingKey): string[] {
  const [low, high] = [v[less], v[more]];
  if (typeof low !== 'number' || typeof high !== 'number' || low <= high) return [];
  return [`${variableOf(less)}: must not exceed ${variableOf(more)}`];
}
