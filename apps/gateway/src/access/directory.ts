import { timingSafeEqual } from 'node:crypto';
import { basename } from 'node:path';
import { FileError } from '../files/file-error.js';
import { readYaml, YamlError } from '../files/yaml-text.js';
import { type AccessEntry, asRecord, readEntry } from './access-entry.js';
import { fitsGlob } from './glob.js';
import { DEFAULT_NAMESPACE, type Principal } from './principal.js';
import { type Grant, Rights } from './rights.js';

/** What is known of the namespaces of this gateway. */
export interface Namespaces {
  has(namespace: string): boolean;
  /** Whether `{orders}` and `orders` are two queues there. */
  bracesMatter(namespace: string): boolean;
}

interface Known {
  readonly entry: AccessEntry;
  readonly rights: Rights;
  readonly version: string;
}

/** What a bearer token stands for. */
export interface KnownToken {
  readonly principal: Principal;
  /** When the token ends, ms since the epoch; absent: never. */
  readonly expiresAtMs?: number;
}

/** All principals of an access file. Immutable: a changed file makes another. */
export class Directory {
  readonly #entries: readonly Known[];
  readonly #byToken = new Map<string, { readonly digest: Buffer; readonly token: KnownToken }>();

  constructor(entries: readonly AccessEntry[], namespaces: Namespaces) {
    this.#entries = entries.map((entry) => {
      const rights = new Rights(entry.acl, namespaces.bracesMatter(entry.namespace));
      const { principal, namespace, acl, expiresAtMs } = entry;
      const version = JSON.stringify([principal, namespace, acl, expiresAtMs]);
      return { entry, rights, version };
    });
    for (const known of this.#entries) {
      const { principal = '', sha256, expiresAtMs } = known.entry;
      const token = {
        principal: principalOf(known, principal),
        ...given('expiresAtMs', expiresAtMs),
      };
      for (const hex of sha256) this.#byToken.set(hex, { digest: Buffer.from(hex, 'hex'), token });
    }
  }

  /**
   * The principal of a bearer token. The index is asked for the digest, of which nobody can choose a beginning, and what
   * it finds is compared in constant time.
   *
   * @param digest the SHA-256 of the token
   */
  byToken(digest: Buffer): KnownToken | undefined {
    const found = this.#byToken.get(digest.toString('hex'));
    return found && timingSafeEqual(found.digest, digest) ? found.token : undefined;
  }

  /** The principal of a client certificate: that of the first entry with a pattern that fits. */
  byCertificate(identity: string): Principal | undefined {
    return this.#first('certificate', identity);
  }

  /** The principal of a JWT's subject: that of the first entry with a pattern that fits. */
  bySubject(subject: string): Principal | undefined {
    return this.#first('subject', subject);
  }

  #first(kind: 'certificate' | 'subject', identity: string): Principal | undefined {
    const known = this.#entries.find(({ entry }) =>
      entry[kind].some((pattern) => fitsGlob(pattern, identity)),
    );
    return known && principalOf(known, `${kind}:${identity}`);
  }
}

function principalOf({ entry, rights, version }: Known, name: string): Principal {
  return { name: entry.principal ?? name, namespace: entry.namespace, rights, version };
}

/** A principal that no file names: from what a token itself grants, or where nothing restricts it. */
export function impliedPrincipal(
  name: string,
  acl: readonly Grant[],
  { namespaces, namespace = DEFAULT_NAMESPACE }: { namespaces: Namespaces; namespace?: string },
): Principal {
  const rights = new Rights(acl, namespaces.bracesMatter(namespace));
  return { name, namespace, rights, version: JSON.stringify([namespace, acl]) };
}

/**
 * Reads an access file, YAML or JSON: `principals`, a list of entries.
 *
 * @param path for the messages
 * @throws FileError with every problem and its line
 */
export function readDirectory(text: string, path: string, namespaces: Namespaces): Directory {
  const file = basename(path);
  const problems: string[] = [];
  const entries: AccessEntry[] = [];
  try {
    const yaml = readYaml(text);
    const note = (at: readonly (string | number)[], problem: string) => {
      const label = at.filter((step) => typeof step === 'string').slice(1);
      const name = label.length > 0 ? ` ${label.join('.')}` : '';
      problems.push(`${file}:${yaml.lineOf(at)}${name}: ${problem}`);
    };
    const root = asRecord(yaml.value, note);
    for (const key of Object.keys(root)) if (key !== 'principals') note([key], 'no such key');
    const list: unknown = root.principals;
    if (!Array.isArray(list)) note(['principals'], 'must be a list');
    else entries.push(...readEntries(list, namespaces, note));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    for (const { line, problem } of error.faults) problems.push(`${file}:${line}: ${problem}`);
  }
  if (problems.length > 0) throw new FileError(problems);
  return new Directory(entries, namespaces);
}

type NoteAt = (at: readonly (string | number)[], problem: string) => void;

function readEntries(
  list: readonly unknown[],
  namespaces: Namespaces,
  note: NoteAt,
): AccessEntry[] {
  const names = new Set<string>();
  const hashes = new Set<string>();
  return list.map((value, at) => {
    const entry = readEntry(value, (path, problem) => note(['principals', at, ...path], problem));
    const here = (key: string, problem: string) => note(['principals', at, key], problem);
    if (!namespaces.has(entry.namespace)) here('namespace', 'is none that this gateway serves');
    if (entry.principal !== undefined) {
      if (names.has(entry.principal)) here('principal', 'another entry has this name');
      names.add(entry.principal);
    }
    for (const hash of entry.sha256) {
      if (hashes.has(hash)) here('sha256', 'this token stands here twice');
      hashes.add(hash);
    }
    return entry;
  });
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
