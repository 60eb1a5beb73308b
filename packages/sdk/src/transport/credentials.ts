import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { invalid } from '../errors.js';

/** Certificates as PEM text, or as paths of PEM files. */
export interface TlsOptions {
  /** Who may have signed the gateway's certificate; absent: the authorities that Node knows. */
  readonly ca?: string | Buffer;
  /** The client's certificate, for mutual TLS; needs `key`. */
  readonly cert?: string | Buffer;
  /** The key of `cert`. */
  readonly key?: string | Buffer;
  /** Check the gateway's certificate against this name instead of the address's host. */
  readonly serverName?: string;
}

/** The credentials of a channel. @throws InvalidRequest naming the option that cannot be used */
export function channelCredentials(tls: TlsOptions | boolean | undefined): ChannelCredentials {
  if (tls === undefined || tls === false) return credentials.createInsecure();
  if (tls === true) return credentials.createSsl();
  checkTls(tls);
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw invalid('tls', '`cert` and `key` come together');
  }
  const { ca, cert, key } = tls;
  const files = [pem('tls.ca', ca), pem('tls.key', key), pem('tls.cert', cert)] as const;
  try {
    return credentials.createSsl(...files);
  } catch (cause) {
    throw invalid('tls', `cannot be used (${(cause as Error).message})`);
  }
}

function checkTls(tls: unknown): asserts tls is TlsOptions {
  if (typeof tls !== 'object' || tls === null || Array.isArray(tls)) {
    throw invalid('tls', 'must be a boolean or an object');
  }
  for (const [name, value] of Object.entries(tls)) {
    const text = typeof value === 'string' && value !== '';
    if (value === undefined || text || (Buffer.isBuffer(value) && name !== 'serverName')) continue;
    throw invalid(`tls.${name}`, name === 'serverName' ? 'must be a name' : PEM_OR_PATH);
  }
}

const PEM_OR_PATH = 'must be PEM text, a Buffer with it, or a path';

function pem(field: string, value: string | Buffer | undefined): Buffer | null {
  if (value === undefined) return null;
  if (Buffer.isBuffer(value)) return value;
  if (value.includes('-----BEGIN')) return Buffer.from(value);
  try {
    return readFileSync(value);
  } catch (cause) {
    throw invalid(field, `neither PEM text nor a file that can be read (${String(cause)})`);
  }
}
