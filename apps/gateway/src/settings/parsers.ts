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

/** A short text without control characters and colons at its end. */
export const keyPrefix: Parser<string> = (text) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text) || text.trim() === '' || text.endsWith(':')) {
    throw new Error('must not be blank, hold control characters or end with a colon');
  }
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
