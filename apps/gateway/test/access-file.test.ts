import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readDirectory } from '../src/access/directory.js';
import { FileError } from '../src/files/file-error.js';

const namespaces = { has: (name: string) => ['', 'shop'].includes(name), bracesMatter: () => true };

function problemsOf(text: string): readonly string[] {
  try {
    readDirectory(text, '/etc/echomq/access.yaml', namespaces);
  } catch (error) {
    if (error instanceof FileError) return error.problems;
    throw error;
  }
  return [];
}

const digest = (token: string) => hash('sha256', token, 'buffer');
const sha256 = (token: string) => hash('sha256', token);

describe('an access file', () => {
  it('names principals with their tokens, certificates, subjects, namespace and rights', () => {
    const directory = readDirectory(
      `
principals:
  - principal: billing
    sha256: [${sha256('one')}, ${sha256('two').toUpperCase()}]
    expires: 2030-01-31T12:00:00Z
    certificate: spiffe://shop/billing
    namespace: shop
    acl:
      - queues: [orders, mail-*]
        verbs: [produce, work]
      - { queues: invoices, verbs: admin }
  - subject: ['team-*', anna]
    acl: []
`,
      'access.yaml',
      namespaces,
    );
    const token = directory.byToken(digest('two'));
    expect(token).toMatchObject({
      principal: { name: 'billing', namespace: 'shop' },
      expiresAtMs: Date.UTC(2030, 0, 31, 12),
    });
    expect(directory.byToken(digest('three'))).toBeUndefined();
    expect(directory.byCertificate('spiffe://shop/billing')?.name).toBe('billing');
    expect(directory.byCertificate('spiffe://shop/billing2')).toBeUndefined();
    expect(directory.bySubject('team-1')?.name).toBe('subject:team-1');
    expect(directory.bySubject('spiffe://shop/billing')).toBeUndefined();
    expect(token?.principal.rights.mayAnywhere('admin')).toBe(true);
  });

  it('tells all its mistakes with their lines, and repeats no value', () => {
    const text = `
principals:
  - sha256: abc-hunter2
    acl:
      - queues: [a]
        verbs: [fly-hunter2]
      - verbs: read
      - hunter2
  - principal: anna
    sha256: ${sha256('one')}
    namespace: hunter2
    expires: tomorrow
    token: hunter2
  - principal: anna
    sha256: ${sha256('one')}
    acl: all
  - principal: [a, b]
  - 7
more: 1
`;
    const problems = problemsOf(text);
    expect(problems.toSorted()).toEqual(
      [
        'access.yaml:3 sha256: must be a SHA-256 of 64 hex digits',
        'access.yaml:3: sha256 needs a principal',
        'access.yaml:6 acl.verbs: must be of produce, work, read, admin',
        'access.yaml:7 acl: needs queues',
        'access.yaml:8 acl: must be a map',
        'access.yaml:8 acl: needs queues',
        'access.yaml:8 acl: needs verbs',
        'access.yaml:11 namespace: is none that this gateway serves',
        'access.yaml:12 expires: must be an instant, as in 2030-01-31T12:00:00Z',
        'access.yaml:13 token: no such key',
        'access.yaml:14 principal: another entry has this name',
        'access.yaml:15 sha256: this token stands here twice',
        'access.yaml:16 acl: must be a list of { queues, verbs }',
        'access.yaml:17 principal: must be one text',
        'access.yaml:17: needs sha256, certificate or subject: nobody can be this principal',
        'access.yaml:18: must be a map',
        'access.yaml:18: needs sha256, certificate or subject: nobody can be this principal',
        'access.yaml:19: no such key',
      ].toSorted(),
    );
    expect(problems.join()).not.toContain('hunter2');
  });

  it.each([
    ['', ['access.yaml:1: must be a map', 'access.yaml:1: must be a list']],
    ['principals: 1', ['access.yaml:1: must be a list']],
    ['principals: [', ['access.yaml:1: is no YAML']],
    ['a: 1\na: 2', ['access.yaml:2: the key stands here twice']],
  ])('%j is none', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('may be JSON, and may be empty', () => {
    expect(problemsOf('{"principals": []}')).toEqual([]);
  });
});
