import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Dashboard } from '@echomq/dashboard';
import type { ListenAddress } from '../settings/parsers.js';
import type { CertificateFiles } from '../tls/certificate-files.js';

/** The page asks in a few hundred bytes; a token that is a JWT may have a few KiB. */
const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 10_000,
};
const MAX_CONNECTIONS = 256;

/** The dashboard's HTTP port: with the certificate of the gateway where there is one. */
export class DashboardServer {
  private constructor(
    private readonly server: Server | SecureServer,
    private readonly unwatch: () => void,
  ) {}

  /** Serves. @throws Error when it cannot listen */
  static async listen(
    dashboard: Dashboard,
    { host, port }: ListenAddress,
    certificates: CertificateFiles | undefined,
  ): Promise<DashboardServer> {
    const { server, unwatch } = certificates
      ? await secure(dashboard, certificates)
      : { server: createServer(LIMITS, dashboard), unwatch: () => undefined };
    server.maxConnections = MAX_CONNECTIONS;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
    } catch (error) {
      unwatch();
      const { message } = error as Error;
      throw new Error(`dashboardListen: cannot listen on ${host}:${port}: ${message}`, {
        cause: error,
      });
    }
    return new DashboardServer(server, unwatch);
  }

  /** `host:port` that it listens on. */
  get address(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** Ends it; who looks at a page is cut. */
  async close(): Promise<void> {
    this.unwatch();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }
}

/** A server that takes each new certificate for the handshakes to come. */
async function secure(dashboard: Dashboard, certificates: CertificateFiles) {
  const server = createSecureServer({ ...LIMITS, minVersion: 'TLSv1.2' }, dashboard);
  let listener: Parameters<CertificateFiles['addIdentityCertificateListener']>[0] | undefined;
  await new Promise<void>((resolve) => {
    listener = (loaded) => {
      if (loaded) {
        const { certificate: cert, privateKey: key } = loaded;
        server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
      }
      resolve();
    };
    certificates.addIdentityCertificateListener(listener);
  });
  const unwatch = () => {
    if (listener) certificates.removeIdentityCertificateListener(listener);
  };
  return { server, unwatch };
}
