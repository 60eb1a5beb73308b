import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigSources, loadConfig } from '../src/config.js';

/** What a gateway would start with whose file of settings has this text. */
function load(text: string, { env = {}, argv = [] }: Partial<ConfigSources> = {}) {
  const readText = (path: string) => {
    if (path !== '/etc/echomq/gateway.yaml') throw new Error('ENOENT');
    return text;
  };
  const config = ['--config', '/etc/echomq/gateway.yaml'];
  return loadConfig({ env, argv: [...config, ...argv], readText });
}

function configOf(text: string, sources: Partial<ConfigSources> = {}) {
  const loaded = load(text, sources);
  if (loaded.kind !== 'run') throw new Error(loaded.text);
  return loaded.config;
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a file of settings', () => {
  it('gives settings by their keys, below variables and flags', () => {
    const text = `
# of the shop
listen: "[::1]:0"
prefix: of-file
maxStalledCount: 7
drainTimeoutMs: 1000
insecure: yes
jwtKeys: /keys.json
jwtIssuer: https://issuer.test
jwtAudience: [a, b]
namespaces:
  shop: tenant-1
  blog: tenant-2
`;
    const sources = { env: { ECHOMQ_PREFIX: 'of-env', ECHOMQ_DRAIN_TIMEOUT_MS: '2000' } };
    const config = configOf(text, { ...sources, argv: ['--drain-timeout-ms=3000'] });
    expect(config).toMatchObject({
      listen: { host: '::1', port: 0 },
      prefix: 'of-env',
      drainTimeoutMs: 3_000,
      sweep: { maxStalledCount: 7 },
      access: { jwt: { rules: { audience: ['a', 'b'] } } },
    });
    expect([...config.namespaces]).toEqual([
      ['shop', 'tenant-1'],
      ['blog', 'tenant-2'],
    ]);
  });

  it('may be empty, may be JSON, and may be what --print-config shows', () => {
    expect(configOf('').prefix).toBe('bull');
    expect(configOf('{"prefix": "p", "maxStalledCount": 3}')).toMatchObject({ prefix: 'p' });
    const shown = load('prefix: p\nlogLevel: warn', { argv: ['--print-config'] });
    if (shown.kind !== 'print') throw new Error('it would run');
    const { config: _file, ...rest } = JSON.parse(shown.text) as Record<string, string>;
    expect(configOf(JSON.stringify(rest))).toEqual(configOf('prefix: p\nlogLevel: warn'));
  });

  it('has its mistakes told with their lines, with those of flags and variables, without values', () => {
    const text = `listen: nowhere-hunter2
prefix: "hunter2:"
noSuchSetting: hunter2
stalledIntervalMs: 1
config: other.yaml
minLockMs: 50000
jwtAudience: { a: [b] }
logLevel:
`;
    const env = { ECHOMQ_MAX_LOCK_MS: 'hunter2' };
    const problems = problemsOf(() => load(text, { env, argv: ['--reflection', 'hunter2'] }));
    expect(problems).toEqual([
      'gateway.yaml:3 noSuchSetting: no such setting',
      'gateway.yaml:5 config: no such setting',
      'gateway.yaml:7 jwtAudience: must be a text, a number, true or false',
      'gateway.yaml:8 logLevel: must be a text, a number, true or false',
      'gateway.yaml:1 listen: must be host:port, as in 127.0.0.1:50051 or [::1]:50051',
      'gateway.yaml:2 prefix: must not be blank, hold control characters or end with a colon',
      'gateway.yaml:4 stalledIntervalMs: must be a whole number from 10 to 2147483647',
      '--reflection: must be one of auto, on, off',
      'ECHOMQ_MAX_LOCK_MS: must be a whole number from 1 to 2147483647',
      'gateway.yaml:6 minLockMs: must not exceed ECHOMQ_DEFAULT_LOCK_MS',
    ]);
  });

  it.each([
    ['- a', ['gateway.yaml:1: must be a map of settings']],
    ['a: [', ['gateway.yaml:1: is no YAML']],
    ['prefix: a\nprefix: b', ['gateway.yaml:2: the key stands here twice']],
  ])('%j is none', (text, problems) => expect(problemsOf(() => load(text))).toEqual(problems));

  it('that cannot be read is told with where it was named', () => {
    const readText = () => {
      throw new Error('ENOENT');
    };
    const env = { ECHOMQ_CONFIG: '/nowhere' };
    expect(problemsOf(() => loadConfig({ env, readText }))).toEqual([
      'ECHOMQ_CONFIG: the file cannot be read',
    ]);
  });
});

describe('settings about callers', () => {
  const problems = (env: ConfigSources['env']) => problemsOf(() => loadConfig({ env }));
  const open = { ECHOMQ_LISTEN: '0.0.0.0:1' };
  const tls = { ECHOMQ_TLS_CERT: '/c', ECHOMQ_TLS_KEY: '/k' };
  const jwt = { ECHOMQ_JWT_ISSUER: 'i', ECHOMQ_JWT_AUDIENCE: 'a' };
  const required = (env: ConfigSources['env']) => {
    const loaded = loadConfig({ env });
    return loaded.kind === 'run' && loaded.config.access.required;
  };

  it('everybody is served beyond loopback only where that is asked for', () => {
    expect(problems({ ...open, ...tls })).toEqual([
      expect.stringMatching(/^ECHOMQ_LISTEN: everybody is served on loopback alone; set ECHOMQ_AC/),
    ]);
    expect(problems({ ...open, ...tls, ECHOMQ_AUTH: 'none' })).toEqual([]);
    expect(problems({ ...open, ECHOMQ_INSECURE: 'true' })).toEqual([]);
    expect(problems({ ...open, ...tls, ECHOMQ_ACCESS_FILE: '/a' })).toEqual([]);
    expect(problems({ ...open, ...tls, ECHOMQ_TLS_CLIENT_CA: '/a' })).toEqual([]);
  });

  it('credentials are asked for where some are configured, on loopback too', () => {
    expect(required({})).toBe(false);
    expect(required({ ECHOMQ_ACCESS_FILE: '/a' })).toBe(true);
    expect(required({ ...jwt, ECHOMQ_JWT_KEYS: '/k' })).toBe(true);
    expect(required({ ...tls, ECHOMQ_TLS_CLIENT_CA: '/a' })).toBe(true);
  });

  it('that contradict one another are told', () => {
    expect(problems({ ECHOMQ_AUTH: 'none', ECHOMQ_ACCESS_FILE: '/a' })).toEqual([
      'ECHOMQ_ACCESS_FILE: ECHOMQ_AUTH is none',
    ]);
    expect(problems({ ECHOMQ_JWT_KEYS: '/k' })).toEqual([
      'ECHOMQ_JWT_KEYS: needs ECHOMQ_JWT_ISSUER',
      'ECHOMQ_JWT_KEYS: needs ECHOMQ_JWT_AUDIENCE',
    ]);
    expect(problems({ ECHOMQ_JWT_ISSUER: 'i' })).toEqual([
      'ECHOMQ_JWT_ISSUER: needs ECHOMQ_JWT_KEYS',
    ]);
    expect(problems({ ECHOMQ_REDIS_SENTINEL_USERNAME: 'x' })).toEqual([
      'ECHOMQ_REDIS_SENTINEL_…: needs a redis+sentinel:// URL',
    ]);
  });

  it('namespaces have prefixes that do not lie within one another', () => {
    const file = { ECHOMQ_ACCESS_FILE: '/a' };
    const of = (namespaces: string, env: ConfigSources['env'] = file) =>
      problems({ ECHOMQ_NAMESPACES: namespaces, ...env });
    expect(of('a=one,b=two')).toEqual([]);
    expect(of('a=one', {})).toEqual([expect.stringMatching(/^ECHOMQ_NAMESPACES: nobody can be/)]);
    for (const bad of ['a=one,b=one', 'a=one,b=one:two', 'a=bull', 'a=bull:x']) {
      expect(of(bad)).toEqual(['ECHOMQ_NAMESPACES: a prefix lies within another']);
    }
    expect(of('a=one,b=one-two')).toEqual([]);
    expect(of('a')).toEqual(['ECHOMQ_NAMESPACES: must be name=prefix with commas between']);
    expect(of('a=x,a=y')).toEqual(['ECHOMQ_NAMESPACES: the namespace a stands there twice']);
  });

  it('algorithms without a public key, and keys from where anybody could put some, are refused', () => {
    const keys = { ...jwt, ECHOMQ_JWT_KEYS: '/k' };
    for (const name of ['none', 'HS256', 'RS256,HS512', '']) {
      const found = problems({ ...keys, ECHOMQ_JWT_ALGORITHMS: name });
      expect(found).toEqual(
        name === '' ? [] : [expect.stringMatching(/^ECHOMQ_JWT_ALGORITHMS: must be of RS256/)],
      );
    }
    for (const url of ['http://issuer.test/keys', 'ftp://h/k', 'https://']) {
      expect(problems({ ...jwt, ECHOMQ_JWT_KEYS: url })).toContain(
        'ECHOMQ_JWT_KEYS: must be a file or an https:// URL',
      );
    }
    expect(problems({ ...jwt, ECHOMQ_JWT_KEYS: 'https://u:p@h/k' })).toContain(
      'ECHOMQ_JWT_KEYS: must hold no credentials',
    );
    for (const url of ['https://h/keys', 'http://127.0.0.1:1/keys', 'http://[::1]:1/keys']) {
      expect(problems({ ...jwt, ECHOMQ_JWT_KEYS: url })).toEqual([]);
    }
  });
});
