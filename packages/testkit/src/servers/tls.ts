import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** An authority of one's own, with a certificate for the loopback server and one for its clients. */
export interface TlsFiles {
  /** Paths of PEM files. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly clientCert: string;
  readonly clientKey: string;
  /** What a client needs, as text. */
  readonly caText: string;
  readonly clientCertText: string;
  readonly clientKeyText: string;
  /** Deletes the files. */
  remove(): void;
}

/**
 * Makes the files with the `openssl` command in a temporary folder. The server's certificate is
 * good for `localhost` and `127.0.0.1`, for one day.
 *
 * @throws Error when there is no `openssl` on the PATH.
 */
export async function makeTlsFiles(): Promise<TlsFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-tls-'));
  const at = (name: string): string => join(folder, name);
  const files = {
    ca: at('ca.crt'),
    cert: at('server.crt'),
    key: at('server.key'),
    clientCert: at('client.crt'),
    clientKey: at('client.key'),
  };
  await certificate(['/CN=testkit authority', files.ca, at('ca.key')], []);
  const signed = ['-CA', files.ca, '-CAkey', at('ca.key'), '-addext', 'basicConstraints=CA:FALSE'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await certificate(['/CN=localhost', files.cert, files.key], [...signed, ...names]);
  await certificate(['/CN=client', files.clientCert, files.clientKey], signed);
  return {
    ...files,
    caText: readFileSync(files.ca, 'utf8'),
    clientCertText: readFileSync(files.clientCert, 'utf8'),
    clientKeyText: readFileSync(files.clientKey, 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The server arguments that turn TLS on and plain text off. */
export function tlsArgs(files: TlsFiles, port: number, mutual: boolean): string[] {
  return [
    ...['--port', '0', '--tls-port', `${port}`],
    ...['--tls-cert-file', files.cert, '--tls-key-file', files.key],
    ...['--tls-ca-cert-file', files.ca, '--tls-auth-clients', mutual ? 'yes' : 'no'],
  ];
}

async function certificate(
  [subject, cert, key]: readonly [string, string, string],
  more: readonly string[],
): Promise<void> {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const args = ['req', '-x509', '-days', '1', '-subj', subject, ...newKey];
  await promisify(execFile)('openssl', [...args, '-keyout', key, '-out', cert, ...more]);
}
