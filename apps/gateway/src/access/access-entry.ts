import { type Grant, VERBS, type Verb } from './rights.js';

/** Notes what is wrong with a value, at its place. */
export type Note = (path: readonly (string | number)[], problem: string) => void;

/** One principal as it is configured, checked. */
export interface AccessEntry {
  /** Its name; required where tokens are listed. */
  readonly principal?: string;
  /** SHA-256 of its bearer tokens, lower-case hex. */
  readonly sha256: readonly string[];
  /** When the tokens end, ms since the epoch. */
  readonly expiresAtMs?: number;
  /** Patterns of the identity in a client certificate. */
  readonly certificate: readonly string[];
  /** Patterns of the subject of a JWT. */
  readonly subject: readonly string[];
  readonly namespace: string;
  readonly acl: readonly Grant[];
}

const KEYS = ['principal', 'sha256', 'expires', 'certificate', 'subject', 'namespace', 'acl'];

/** One entry of the access file. What is wrong is noted; the result counts only where nothing was. */
export function readEntry(value: unknown, note: Note): AccessEntry {
  const entry = asRecord(value, note);
  for (const key of Object.keys(entry)) if (!KEYS.includes(key)) note([key], 'no such key');
  const sha256 = texts(entry.sha256, ['sha256'], note).map((hash) => hash.toLowerCase());
  sha256.forEach((hash, at) => {
    const path = Array.isArray(entry.sha256) ? ['sha256', at] : ['sha256'];
    if (!/^[0-9a-f]{64}$/.test(hash)) note(path, 'must be a SHA-256 of 64 hex digits');
  });
  const certificate = texts(entry.certificate, ['certificate'], note);
  const subject = texts(entry.subject, ['subject'], note);
  const principal = optionalText(entry.principal, ['principal'], note);
  if (sha256.length > 0 && principal === undefined) note([], 'sha256 needs a principal');
  if (sha256.length + certificate.length + subject.length === 0) {
    note([], 'needs sha256, certificate or subject: nobody can be this principal');
  }
  const expiresAtMs = instant(entry.expires, note);
  return {
    ...(principal === undefined ? {} : { principal }),
    sha256,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    certificate,
    subject,
    namespace: optionalText(entry.namespace, ['namespace'], note) ?? '',
    acl: readGrants(entry.acl, (path, problem) => note(['acl', ...path], problem)),
  };
}

/** A list of `{ queues, verbs }`. */
export function readGrants(value: unknown, note: Note): readonly Grant[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    note([], 'must be a list of { queues, verbs }');
    return [];
  }
  return value.map((item, at) => {
    const grant = asRecord(item, (path, problem) => note([at, ...path], problem));
    for (const key of Object.keys(grant)) {
      if (key !== 'queues' && key !== 'verbs') note([at, key], 'no such key');
    }
    const queues = texts(grant.queues, [at, 'queues'], note);
    const verbs = texts(grant.verbs, [at, 'verbs'], note);
    if (queues.length === 0) note([at], 'needs queues');
    if (verbs.length === 0) note([at], 'needs verbs');
    const wrong = verbs.find((verb) => !isVerb(verb));
    if (wrong !== undefined) note([at, 'verbs'], `must be of ${VERBS.join(', ')}`);
    return { queues, verbs: verbs.filter(isVerb) };
  });
}

const isVerb = (text: string): text is Verb => (VERBS as readonly string[]).includes(text);

/** A value as an object; anything else is noted and counts as an empty one. */
export function asRecord(value: unknown, note: Note): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  note([], 'must be a map');
  return {};
}

/** A text or a list of texts. */
function texts(value: unknown, path: readonly (string | number)[], note: Note): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  const found = list.filter((item): item is string => typeof item === 'string' && item !== '');
  if (found.length < list.length) note(path, 'must be a text or a list of texts');
  return found;
}

function optionalText(value: unknown, path: readonly string[], note: Note): string | undefined {
  const found = texts(value, path, note);
  if (found.length > 1) note(path, 'must be one text');
  return found[0];
}

function instant(value: unknown, note: Note): number | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : '';
  const zoned = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text);
  const ms = zoned ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) note(['expires'], 'must be an instant, as in 2030-01-31T12:00:00Z');
  return Number.isNaN(ms) ? undefined : ms;
}
