import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { EngineLogger } from '@echomq/engine';
import { experimental, type ServerCredentials } from '@grpc/grpc-js';
import { WatchedFiles } from '../files/watched-files.js';

type CertificateProvider = experimental.CertificateProvider;
type IdentityListener = Parameters<CertificateProvider['addIdentityCertificateListener']>[0];
type CaListener = Parameters<CertificateProvider['addCaCertificateListener']>[0];

/** Where the certificates are. */
export interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

interface Certificates {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

/** A day, ms. */
const DAY_MS = 86_400_000;
/** A certificate that ends within this is worth a warning when it is loaded. */
const SOON_MS = 7 * DAY_MS;

/**
 * The certificates of the server out of files. What changes there counts from the next handshake on; connections that
 * stand are not touched. grpc-js' own watcher hands on whatever it reads, so that a moment with half a pair would refuse
 * everybody: here only what fits together is handed on.
 */
export class CertificateFiles implements CertificateProvider {
  /** For `bindAsync`. */
  readonly credentials: ServerCredentials;
  readonly #files: WatchedFiles<Certificates>;
  readonly #identityListeners = new Set<IdentityListener>();
  readonly #caListeners = new Set<CaListener>();

  /** @throws FileError when a file cannot be read, or they do not fit together */
  constructor(
    paths: CertificatePaths,
    intervalMs: number,
    private readonly logger: EngineLogger,
  ) {
    const { cert, key, clientCa } = paths;
    this.#files = new WatchedFiles({
      paths: clientCa === undefined ? [cert, key] : [cert, key, clientCa],
      load: ([cert, key, ca]) => certificates(cert, key, ca),
      intervalMs,
      onChange: (loaded) => this.#tell(loaded),
      onBad: ({ message }) => logger.warn('certificates.bad', { problem: message }),
    });
    this.#describe(this.#files.current);
    this.credentials = experimental.createCertificateProviderServerCredentials(
      this,
      clientCa === undefined ? null : this,
      clientCa !== undefined,
    );
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    // The credentials listen to us before the server listens to them.
    process.nextTick(() => listener(identityOf(this.#files.current)));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    process.nextTick(() => listener(authorityOf(this.#files.current)));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  /** Looks at the files no more. */
  close(): void {
    this.#files.close();
  }

  #tell(loaded: Certificates): void {
    for (const listener of this.#caListeners) listener(authorityOf(loaded));
    for (const listener of this.#identityListeners) listener(identityOf(loaded));
    this.logger.info('certificates.reloaded', {});
    this.#describe(loaded);
  }

  #describe({ cert }: Certificates): void {
    const { subject, validTo, fingerprint256 } = new X509Certificate(cert);
    const facts = { subject, validTo, fingerprint256 };
    const left = Date.parse(validTo) - Date.now();
    if (left < SOON_MS) this.logger.warn('certificate.endsSoon', facts);
    else this.logger.info('certificate.loaded', facts);
  }
}

function identityOf({ cert, key }: Certificates) {
  return { certificate: cert, privateKey: key };
}

function authorityOf({ ca }: Certificates) {
  return ca === undefined ? null : { caCertificate: ca };
}

function certificates(cert?: Buffer, key?: Buffer, ca?: Buffer): Certificates {
  if (!cert || !key) throw new Error('no certificate');
  // OpenSSL compares the pair.
  createSecureContext({ cert, key });
  if (ca === undefined) return { cert, key };
  const all = String(ca).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!all) throw new Error('the authority of clients is no certificate');
  for (const each of all) new X509Certificate(each);
  return { cert, key, ca };
}
