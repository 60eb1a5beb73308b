import { readFile } from 'node:fs/promises';
import { type Connection, type ConnectOptions, connect, type TlsOptions } from '@echomq/sdk';
import { UsageError } from '../exit/report-error.js';
import type { GatewayFlags } from './flags.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The connection that flags and variables describe. It is made with the first call.
 *
 * @throws UsageError, InvalidRequest for what does not fit together
 */
export function openGateway(flags: GatewayFlags, env: Variables): Connection {
  const tls = tlsOf(flags, env);
  const token = tokenOf(flags, env);
  return connect({
    address: flags.address,
    ...(tls === undefined ? {} : { tls }),
    ...(token === undefined ? {} : { token }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
  });
}

function tokenOf({ tokenFile }: GatewayFlags, env: Variables): ConnectOptions['token'] | undefined {
  if (tokenFile) return () => readToken(tokenFile);
  return env.ECHOMQ_TOKEN?.trim() || undefined;
}

/** Read for each call, so that a worker of many days follows a token that is renewed. */
async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new UsageError(`the token file ${path} cannot be read (${code})`);
  }
}

function tlsOf(flags: GatewayFlags, env: Variables): TlsOptions | boolean | undefined {
  const { tlsCa, tlsCert, tlsKey, tlsServerName } = flags;
  const named: TlsOptions = {
    ...(tlsCa ? { ca: tlsCa } : {}),
    ...(tlsCert ? { cert: tlsCert } : {}),
    ...(tlsKey ? { key: tlsKey } : {}),
    ...(tlsServerName ? { serverName: tlsServerName } : {}),
  };
  if (Object.keys(named).length > 0) return named;
  const variable = (env.ECHOMQ_TLS ?? '').toLowerCase();
  return flags.tls || !['', '0', 'false', 'no', 'off'].includes(variable) ? true : undefined;
}
