import type { IncomingMessage } from 'node:http';
import { Refusal } from './answer.js';

/** A page elsewhere cannot set it without asking first, and nobody here says yes. */
const MARK = 'x-echomq-dashboard';

/**
 * Stops what another site has a visitor's browser send. The token in `authorization` alone would do where there is one;
 * a dashboard on loopback asks for none.
 *
 * @throws Refusal 403
 */
export function refuseForeign(
  { headers, method, url = '/' }: IncomingMessage,
  hosts: ReadonlySet<string> | undefined,
): void {
  const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (hosts && !hosts.has(host)) throw foreign('host: not a name of this server');
  if (!url.startsWith('/api/') || method !== 'POST') return;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw foreign('sec-fetch-site: another site');
  if (headers[MARK] === undefined) throw foreign(`${MARK}: missing`);
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    throw foreign('content-type: application/json alone');
  }
}

function foreign(message: string): Refusal {
  return new Refusal(403, 'PERMISSION_DENIED', 'INVALID_FIELD', message);
}
