/** Where Redis is. */
export type RedisTarget = {
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
} & (
  | { readonly kind: 'single' | 'cluster'; readonly nodes: { host: string; port: number }[] }
  | {
      readonly kind: 'sentinel';
      readonly nodes: { host: string; port: number }[];
      readonly name: string;
    }
  | { readonly kind: 'socket'; readonly path: string }
);

const FORMS =
  'redis://, rediss://, unix://, redis+sentinel://, rediss+sentinel://, redis+cluster:// or rediss+cluster://';

/**
 * Reads a Redis URL. The message of the error never repeats the URL: it may hold a password.
 *
 * @throws TypeError naming what is wrong.
 */
export function parseRedisUrl(url: string): RedisTarget {
  const match =
    /^(redis|rediss|unix)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(
      url,
    );
  if (!match) throw new TypeError(`redis url: must begin with ${FORMS}`);
  const [, scheme, mode, userInfo, authority = '', path = '', query = ''] = match;
  const tls = scheme === 'rediss';
  const login = credentials(userInfo);
  if (scheme === 'unix') {
    const db = new URLSearchParams(query).get('db');
    return {
      kind: 'socket',
      path: decodeURIComponent(path),
      tls: false,
      ...login,
      ...database(db ?? ''),
    };
  }
  const nodes = authority
    .split(',')
    .map((node) => nodeOf(node, mode === 'sentinel' ? 26379 : 6379));
  const [first = '', second = ''] = path.slice(1).split('/');
  if (mode === 'sentinel') {
    if (!first)
      throw new TypeError('redis url: a sentinel url needs the name of the primary as its path');
    return {
      kind: 'sentinel',
      nodes,
      name: decodeURIComponent(first),
      tls,
      ...login,
      ...database(second),
    };
  }
  if (mode === 'cluster') return { kind: 'cluster', nodes, tls, ...login };
  if (nodes.length > 1)
    throw new TypeError('redis url: several hosts need redis+cluster:// or redis+sentinel://');
  return { kind: 'single', nodes, tls, ...login, ...database(first) };
}

function credentials(userInfo: string | undefined): { username?: string; password?: string } {
  if (!userInfo) return {};
  const colon = userInfo.indexOf(':');
  const user = colon < 0 ? userInfo : userInfo.slice(0, colon);
  return {
    ...(user ? { username: decodeURIComponent(user) } : {}),
    ...(colon < 0 ? {} : { password: decodeURIComponent(userInfo.slice(colon + 1)) }),
  };
}

function nodeOf(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]*)(?::(\d+))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (!match || port < 1 || port > 65535)
    throw new TypeError('redis url: host and port are not valid');
  return { host: (match[1] ?? '').replace(/^\[|\]$/g, '') || '127.0.0.1', port };
}

function database(text: string): { db?: number } {
  if (text === '') return {};
  if (!/^\d+$/.test(text)) throw new TypeError('redis url: the database must be a number');
  return { db: Number(text) };
}
