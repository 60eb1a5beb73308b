import { isIPv4 } from 'node:net';
import { invalid } from '../errors.js';

/**
 * Checks an address: `host:port`, `[::1]:port`, `dns:///host:port` or `unix:path`.
 *
 * @throws InvalidRequest naming `address`
 */
export function checkAddress(address: unknown): asserts address is string {
  if (typeof address !== 'string' || address.trim() === '') {
    throw invalid('address', 'must be a host and a port, as in "127.0.0.1:50051"');
  }
  if (/^https?:\/\//.test(address)) {
    throw invalid('address', 'is host:port without a scheme; say `tls` for an encrypted channel');
  }
  if (address.startsWith('unix:')) return;
  const port = /:(\d+)$/.exec(address)?.[1];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw invalid('address', `${JSON.stringify(address)} names no port from 1 to 65535`);
  }
}

/** Whether an address surely stays on this machine. */
export function isLoopback(address: string): boolean {
  if (address.startsWith('unix:')) return true;
  const host = address
    .replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
