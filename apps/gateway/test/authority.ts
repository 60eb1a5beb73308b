import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate and its key, as PEM text. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** An authority that signs certificates, with the `openssl` command. */
export interface Authority {
  readonly cert: string;
  /** For these alternative names, as in `DNS:localhost`; none: for the common name alone. */
  issue(commonName: string, ...names: string[]): Promise<Pair>;
}

let count = 0;

/** Makes an authority whose files are in a folder. */
export async function makeAuthority(folder: string): Promise<Authority> {
  const at = (ending: string) => join(folder, `${++count}.${ending}`);
  const [caCert, caKey] = [at('crt'), at('key')];
  const make = async (subject: string, cert: string, key: string, more: readonly string[]) => {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const args = ['req', '-x509', '-days', '1', '-subj', subject, ...newKey];
    await promisify(execFile)('openssl', [...args, '-keyout', key, '-out', cert, ...more]);
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  };
  const { cert } = await make(`/CN=authority ${count}`, caCert, caKey, []);
  return {
    cert,
    issue: (commonName, ...names) => {
      const signed = ['-CA', caCert, '-CAkey', caKey, '-addext', 'basicConstraints=CA:FALSE'];
      const more = names.length === 0 ? [] : ['-addext', `subjectAltName=${names.join(',')}`];
      return make(`/CN=${commonName}`, at('crt'), at('key'), [...signed, ...more]);
    },
  };
}
