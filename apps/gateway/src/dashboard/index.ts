import { makeDashboard } from '@echomq/dashboard';
import type { Access } from '../access/access.js';
import type { GatewayConfig } from '../gateway-config.js';
import { bugReporter, type GatewayLogger } from '../log.js';
import type { ServedEngine } from '../serve.js';
import { isLoopback } from '../settings/parsers.js';
import type { CertificateFiles } from '../tls/certificate-files.js';
import { VERSION } from '../version.js';
import { callersOf } from './callers.js';
import { DashboardServer } from './dashboard-server.js';
import { requestLog } from './request-log.js';

export type { DashboardServer } from './dashboard-server.js';

/** What the dashboard stands on. */
export interface DashboardParts {
  readonly config: Pick<GatewayConfig, 'dashboard' | 'access'>;
  readonly engine: Pick<ServedEngine, 'servicesOf'>;
  readonly access: Access;
  readonly certificates: CertificateFiles | undefined;
  readonly logger: GatewayLogger;
}

/** The names of loopback. */
const OWN = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Serves the dashboard to the principals of the gateway, with their rights. Loaded only where it is configured.
 *
 * @throws Error when its address is taken, or the page was not built
 */
export function serveDashboard(parts: DashboardParts): Promise<DashboardServer> {
  const { config, engine, access, certificates, logger } = parts;
  const { dashboard: listen } = config;
  if (!listen) throw new Error('no address for the dashboard');
  const open = !config.access.required;
  const local = open && isLoopback(listen.host);
  const dashboard = makeDashboard({
    open,
    ...(local ? { hosts: new Set([...OWN, listen.host]) } : {}),
    version: VERSION,
    admit: callersOf(engine, access),
    ended: requestLog(logger),
    reportBug: bugReporter(logger),
  });
  return DashboardServer.listen(dashboard, listen, certificates);
}
