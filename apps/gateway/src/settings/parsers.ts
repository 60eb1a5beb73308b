import { prefixProblem } from '@echomq/core';
import { parseRedisUrl } from '@echomq/core/ioredis';

/** What a setting's text is turned into; throws an `Error` whose message completes "NAME: …" and repeats no secret. */
export type Parser<T> = (text: string) => T;

/** Where the server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** `host:port`, IPv6 in brackets. */
export const listenAddress: Parser<ListenAddress> = (text) => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > 65_535) {
    throw new Error('must be host:port, as in 127.0.0.1:50051 or [::1]:50051');
  }
  return { host, port };
};

/** Whether what listens there is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number): Parser<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return value;
  };
}

/** One of some words. */
export function oneOf<const W extends readonly string[]>(words: W): Parser<W[number]> {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return word;
  };
}

/** On or off, in the usual words. */
export const yesOrNo: Parser<boolean> = (text) => {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new Error('must be true or false');
};

/** The path of a file. Whether it can be read is seen later, so that this stays pure. */
export const filePath: Parser<string> = (text) => {
  if (text.includes('\n')) throw new Error('must be the path of a file, not its text');
  return text;
};

/** A text that can begin every key. */
export const keyPrefix: Parser<string> = (text) => {
  const problem = prefixProblem(text);
  if (problem) throw new Error(problem);
  return text;
};

/** A URL that the Redis client takes. */
export const redisUrl: Parser<string> = (text) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    throw new Error((error as Error).message.replace(/^redis url: /, ''));
  }
  return text;
};

/** Any text. */
export const anyText: Parser<string> = (text) => text;

/** From 0 to 1. */
export const share: Parser<number> = (text) => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new Error('must be from 0 to 1');
  return value;
};

/** Where spans go. */
export const otlpUrl: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('must be an http:// or https:// URL');
  // It is shown with the configuration, and in errors.
  if (url.username !== '' || url.password !== '') throw new Error('must hold no credentials');
  return text;
};

/** A list of texts with commas between; at least one. */
export const commaList: Parser<readonly string[]> = (text) => {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.some((part) => part === '')) throw new Error('must be texts with commas between');
  return parts;
};

/** Where everybody could sign: `none` needs no key, and with HMAC the public key is the secret. */
const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Names of signature algorithms with a public key. */
export const jwtAlgorithms: Parser<readonly string[]> = (text) => {
  const names = commaList(text);
  if (!names.every((name) => ASYMMETRIC.includes(name))) {
    throw new Error(`must be of ${ASYMMETRIC.join(', ')}`);
  }
  return names;
};

/** The path of a file, or a URL over which nobody can put keys of his own. */
export const keysPlace: Parser<string> = (text) => {
  if (!/^[a-z]+:\/\//i.test(text)) return filePath(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(host));
  if (!url || !safe) throw new Error('must be a file or an https:// URL');
  if (url.username !== '' || url.password !== '') throw new Error('must hold no credentials');
  return text;
};

/** `name=prefix` with commas between; none may hold what is in another. */
export const namespacePrefixes: Parser<ReadonlyMap<string, string>> = (text) => {
  const prefixes = new Map<string, string>();
  if (text.trim() === '') return prefixes;
  for (const part of commaList(text)) {
    const [, name = '', prefix = ''] = /^([\w.-]{1,64})=(.+)$/.exec(part) ?? [];
    if (name === '') throw new Error('must be name=prefix with commas between');
    if (prefixes.has(name)) throw new Error(`the namespace ${name} stands there twice`);
    prefixes.set(name, keyPrefix(prefix));
  }
  return prefixes;
};
