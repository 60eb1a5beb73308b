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
    /^(unix|rediss?(?:\+(?:sentinel|cluster))?):\/\/(?:([^@/]*)@)?([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(
      url,
    );
  if (!match) throw new TypeError(`redis url: must begin with ${FORMS}`);
  const [, scheme = '', userInfo, authority = '', path = '', query = ''] = match;
  const login = credentials(userInfo);
  if (scheme === 'unix') return { ...socketOf(authority, path, query), ...login };
  const tls = scheme.startsWith('rediss');
  const [first = '', second = '', ...more] = path.slice(1).split('/');
  if (more.length > 0) throw new TypeError('redis url: the path has too many parts');
  const nodes = nodesOf(authority, scheme.endsWith('sentinel') ? 26379 : 6379);
  if (scheme.endsWith('sentinel')) {
    if (!first)
      throw new TypeError('redis url: a sentinel url needs the name of the primary as its path');
    const name = decoded(first);
    return { kind: 'sentinel', nodes, name, tls, ...login, ...database(second) };
  }
  if (second) throw new TypeError('redis url: the path has too many parts');
  if (scheme.endsWith('cluster')) {
    if (first !== '' && first !== '0')
      throw new TypeError('redis url: a cluster has one database, 0');
    return { kind: 'cluster', nodes, tls, ...login };
  }
  if (nodes.length > 1)
    throw new TypeError('redis url: several hosts need redis+cluster:// or redis+sentinel://');
  return { kind: 'single', nodes, tls, ...login, ...database(first) };
}

function socketOf(authority: string, path: string, query: string): RedisTarget {
  if (authority !== '' || path.length < 2)
    throw new TypeError('redis url: unix:// needs the absolute path of a socket');
  const db = database(new URLSearchParams(query).get('db') ?? '');
  return { kind: 'socket', path: decoded(path), tls: false, ...db };
}

function credentials(userInfo: string | undefined): { username?: string; password?: string } {
  if (!userInfo) return {};
  const colon = userInfo.indexOf(':');
  const user = colon < 0 ? userInfo : userInfo.slice(0, colon);
  return {
    ...(user ? { username: decoded(user) } : {}),
    ...(colon < 0 ? {} : { password: decoded(userInfo.slice(colon + 1)) }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError('redis url: a % must begin a percent code (%25 for itself)');
  }
}

function nodesOf(authority: string, defaultPort: number): { host: string; port: number }[] {
  const texts = authority.split(',');
  if (texts.length > 1 && texts.includes(''))
    throw new TypeError('redis url: host and port are not valid: one of the hosts is empty');
  return texts.map((text) => nodeOf(text, defaultPort));
}

function nodeOf(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:@\s]*)(?::(\d+))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (!match || port < 1 || port > 65535)
    throw new TypeError(
      'redis url: host and port are not valid (percent-code @ / : in a password)',
    );
  return { host: (match[1] ?? '').replace(/^\[|\]$/g, '') || '127.0.0.1', port };
}

function database(text: string): { db?: number } {
  if (text === '') return {};
  if (!/^\d+$/.test(text)) throw new TypeError('redis url: the database must be a number');
  return { db: Number(text) };
}
