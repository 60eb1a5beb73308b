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
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw invalid('tls', '`cert` and `key` come together');
  }
  const { ca, cert, key } = tls;
  return credentials.createSsl(pem('tls.ca', ca), pem('tls.key', key), pem('tls.cert', cert));
}

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
