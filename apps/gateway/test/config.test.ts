import { DEFAULT_LIMITS } from '@echomq/engine';
import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigSources, loadConfig } from '../src/config.js';
import type { GatewayConfig } from '../src/gateway-config.js';
import { maskUrl } from '../src/settings/mask.js';
import { flagOf, SETTING_KEYS, variableOf } from '../src/settings/settings.js';

function configOf(env: ConfigSources['env'], argv: readonly string[] = []): GatewayConfig {
  const loaded = loadConfig({ env, argv });
  if (loaded.kind !== 'run') throw new Error(`it printed:\n${loaded.text}`);
  return loaded.config;
}

function printedBy(argv: readonly string[], env: ConfigSources['env'] = {}): string {
  const loaded = loadConfig({ env, argv, version: '1.2.3' });
  if (loaded.kind !== 'print') throw new Error('it would run');
  return loaded.text;
}

function problemsOf(sources: ConfigSources): readonly string[] {
  try {
    loadConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('needs nothing', () => {
    expect(configOf({})).toEqual({
      listen: { host: '127.0.0.1', port: 50_051 },
      access: { required: false, recheckMs: 10_000, graceMs: 30_000 },
      reloadMs: 10_000,
      redis: { url: 'redis://127.0.0.1:6379', connectionName: 'echomq-gateway' },
      prefix: 'bull',
      namespaces: new Map(),
      queueTag: 'auto',
      sweep: { stalledIntervalMs: 30_000, maxStalledCount: 1 },
      backoffs: {},
      metrics: { maxDataPoints: 0 },
      compat: { workerList: false },
      drainTimeoutMs: 25_000,
      maxLoopDelayMs: 2_000,
      reflection: 'open',
      logLevel: 'info',
      logFormat: 'json',
      limits: DEFAULT_LIMITS,
      quotas: {
        maxStreamsPerPrincipal: 10_000,
        maxWaitersPerPrincipal: 10_000,
        maxMetadataBytes: 16_384,
        maxUnreadMs: 60_000,
      },
    });
  });

  it('gives a frozen object', () => {
    const config = configOf({});
    const { access, limits, redis, sweep, listen, quotas } = config;
    for (const part of [config, access, limits, redis, sweep, listen, quotas]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('reads variables, and flags before them; an empty variable is none', () => {
    const env = {
      ECHOMQ_LISTEN: '[::1]:0',
      ECHOMQ_PREFIX: 'shop',
      ECHOMQ_QUEUE_TAG: '',
      ECHOMQ_REDIS_URL: 'rediss://h:1',
      ECHOMQ_REDIS_TLS_CA: '/ca.pem',
      ECHOMQ_REDIS_PASSWORD_FILE: '/secret',
      ECHOMQ_MAX_STALLED_COUNT: '7',
      ECHOMQ_MAX_WAIT_MS: '30000',
    };
    const config = configOf(env, ['--prefix=mine', '--max-stalled-count', '2', '--insecure']);
    expect(config).toMatchObject({
      listen: { host: '::1', port: 0 },
      prefix: 'mine',
      queueTag: 'auto',
      redis: { url: 'rediss://h:1', tls: { ca: '/ca.pem' }, passwordFile: '/secret' },
      sweep: { stalledIntervalMs: 30_000, maxStalledCount: 2 },
      limits: { ...DEFAULT_LIMITS, maxWaitMs: 30_000 },
    });
  });

  it('knows backoffs by their names, and what is wrong with one', () => {
    const text = 'tides=1000/5000, slow=exponential base=1000 factor=3 max=60000 jitter=0.5';
    expect(configOf({ ECHOMQ_BACKOFFS: text }).backoffs).toEqual({
      tides: [1_000, 5_000],
      slow: { type: 'exponential', baseMs: 1_000, factor: 3, maxMs: 60_000, jitter: 0.5 },
    });
    expect(configOf({ ECHOMQ_BACKOFFS: 'even=fixed base=700' }).backoffs).toEqual({
      even: { type: 'fixed', baseMs: 700 },
    });
    for (const wrong of ['tides', 'a b=1', 'x=', 'x=1/', 'x=1s', 'x=linear base=1', 'x=fixed']) {
      const [problem] = problemsOf({ env: { ECHOMQ_BACKOFFS: wrong } });
      expect(problem).toMatch(/^ECHOMQ_BACKOFFS: must be name=wait/);
    }
    for (const [wrong, told] of [
      ['x=1,x=2', 'the backoff x stands there twice'],
      ['x=fixed base=1 jitter=2', 'x.jitter: must be a number from 0 to 1'],
      ['fixed=1', 'fixed: a name has'],
    ] as const) {
      const [problem] = problemsOf({ env: { ECHOMQ_BACKOFFS: wrong } });
      expect(problem).toContain(`ECHOMQ_BACKOFFS: ${told}`);
    }
  });

  it.each(['{}', 'a{}', 'x{}{y}'])('refuses the prefix %s, which voids hash tags', (prefix) => {
    const told = /must not begin its braces with \{\}/;
    expect(problemsOf({ env: { ECHOMQ_PREFIX: prefix } })[0]).toMatch(told);
    expect(problemsOf({ env: {}, argv: ['--prefix', prefix] })[0]).toMatch(/^--prefix: /);
    const env = { ECHOMQ_NAMESPACES: `team=${prefix}` };
    expect(problemsOf({ env })[0]).toMatch(told);
  });

  it('knows the login of the sentinels and the name in the certificate of Redis', () => {
    const config = configOf({
      ECHOMQ_REDIS_URL: 'rediss+sentinel://h:1/main',
      ECHOMQ_REDIS_SENTINEL_USERNAME: 'watcher',
      ECHOMQ_REDIS_SENTINEL_PASSWORD_FILE: '/sentinel',
      ECHOMQ_REDIS_TLS_SERVER_NAME: 'redis.internal',
    });
    expect(config.sentinel).toEqual({ username: 'watcher', passwordFile: '/sentinel' });
    expect(config.redis.tls).toEqual({ serverName: 'redis.internal' });
  });

  it('refuses plain text beyond loopback unless it is asked for', () => {
    const env = { ECHOMQ_LISTEN: '0.0.0.0:50051' };
    const tls = { ECHOMQ_TLS_CERT: '/c', ECHOMQ_TLS_KEY: '/k', ECHOMQ_TLS_CLIENT_CA: '/ca' };
    expect(problemsOf({ env })).toEqual([
      expect.stringMatching(/^ECHOMQ_LISTEN: plain text/),
      expect.stringMatching(/^ECHOMQ_LISTEN: everybody/),
    ]);
    expect(configOf({ ...env, ECHOMQ_INSECURE: 'true' }).tls).toBeUndefined();
    const config = configOf({ ...env, ...tls });
    expect(config.tls).toEqual({ cert: '/c', key: '/k', clientCa: '/ca' });
  });

  it('answers reflection on loopback unless told otherwise', () => {
    const open = { ECHOMQ_LISTEN: '0.0.0.0:1', ECHOMQ_INSECURE: '1' };
    expect(configOf({ ECHOMQ_LISTEN: 'localhost:1' }).reflection).toBe('open');
    expect(configOf({ ECHOMQ_REFLECTION: 'off' }).reflection).toBe('off');
    expect(configOf(open).reflection).toBe('off');
    expect(configOf({ ...open, ECHOMQ_REFLECTION: 'on' }).reflection).toBe('admin');
  });

  it('reports every problem at once, and no value', () => {
    const env = {
      ECHOMQ_LISTEN: 'nowhere',
      ECHOMQ_REDIS_URL: 'http://user:hunter2@host',
      ECHOMQ_STALLED_INTERVAL_MS: 'NaN',
      ECHOMQ_DRAIN_TIMEOUT_MS: '-1',
      ECHOMQ_MAX_STALLED_COUNT: '1e3',
      ECHOMQ_REFLECTION: 'maybe',
      ECHOMQ_PREFIX: 'bull:',
      ECHOMQ_TLS_CERT: '/missing',
      ECHOMQ_REDIS_TLS_KEY: '/k',
      ECHOMQ_MIN_LOCK_MS: '40000',
      ECHOMQ_MAX_PAYLOAD_BYTES: '5000000',
    };
    const argv = ['--log-level', 'loud', '--no-such-flag=hunter2', 'hunter2'];
    const problems = problemsOf({ env, argv, readable: (path) => path !== '/missing' });
    expect(problems).toEqual([
      '--no-such-flag: no such flag',
      'unexpected argument',
      'ECHOMQ_LISTEN: must be host:port, as in 127.0.0.1:50051 or [::1]:50051',
      'ECHOMQ_TLS_CERT: the file cannot be read',
      expect.stringMatching(/^ECHOMQ_REDIS_URL: must begin with redis:/),
      'ECHOMQ_PREFIX: must not be blank, hold control characters or end with a colon',
      'ECHOMQ_STALLED_INTERVAL_MS: must be a whole number from 10 to 2147483647',
      'ECHOMQ_MAX_STALLED_COUNT: must be a whole number from 0 to 1000000',
      'ECHOMQ_DRAIN_TIMEOUT_MS: must be a whole number from 0 to 2147483647',
      'ECHOMQ_REFLECTION: must be one of auto, on, off',
      '--log-level: must be one of trace, debug, info, warn, error, fatal, silent',
      'ECHOMQ_TLS_CERT and ECHOMQ_TLS_KEY: both or none',
      'ECHOMQ_REDIS_TLS_CERT and ECHOMQ_REDIS_TLS_KEY: both or none',
      expect.stringMatching(/^ECHOMQ_MAX_MESSAGE_BYTES: must exceed/),
      'ECHOMQ_MIN_LOCK_MS: must not exceed ECHOMQ_DEFAULT_LOCK_MS',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('says which certificate settings lead nowhere', () => {
    const env = { ECHOMQ_REDIS_TLS_CA: '/ca', ECHOMQ_TLS_CLIENT_CA: '/ca' };
    expect(problemsOf({ env })).toEqual([
      'ECHOMQ_TLS_CLIENT_CA: needs ECHOMQ_TLS_CERT and ECHOMQ_TLS_KEY',
      'ECHOMQ_REDIS_TLS_…: certificates need a rediss:// URL',
    ]);
  });

  it('reports a flag that lacks its value', () => {
    expect(problemsOf({ env: {}, argv: ['--listen'] })).toEqual([
      "option '--listen <host:port>' argument missing",
    ]);
  });
});

describe('what it prints', () => {
  it('--help names every flag, its variable and its default', () => {
    const help = printedBy(['--help']).replace(/\s+/g, ' ');
    for (const key of SETTING_KEYS) {
      expect(help).toContain(flagOf(key));
      expect(help).toContain(variableOf(key));
    }
    expect(help).toContain('ECHOMQ_LISTEN, default 127.0.0.1:50051');
    expect(help).toContain('ECHOMQ_DRAIN_TIMEOUT_MS, default 25000');
  });

  it('--help goes before what is wrong', () => {
    expect(printedBy(['--help'], { ECHOMQ_LISTEN: 'x' })).toContain('Usage: echomq-gateway');
  });

  it('--version', () => expect(printedBy(['--version'])).toBe('1.2.3\n'));

  it('--print-config shows what counts, without secrets', () => {
    const env = { ECHOMQ_REDIS_URL: 'redis://anna:hunter2@db:6380/2' };
    const shown = JSON.parse(printedBy(['--print-config', '--prefix', 'p'], env));
    expect(shown).toMatchObject({
      listen: '127.0.0.1:50051',
      redisUrl: 'redis://anna:***@db:6380/2',
      prefix: 'p',
      maxPayloadBytes: '1048576',
    });
    expect(shown).not.toHaveProperty('tlsCert');
  });

  it('what is logged at the start is masked too', () => {
    const loaded = loadConfig({ env: { ECHOMQ_REDIS_URL: 'redis://:hunter2@db' } });
    expect(JSON.stringify(loaded.kind === 'run' && loaded.shown)).not.toContain('hunter2');
  });
});

describe('maskUrl', () => {
  it.each([
    ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    ['redis://:s3cret@h', 'redis://:***@h'],
    ['rediss://u:s3cret@h:1/3', 'rediss://u:***@h:1/3'],
    ['redis://u@h', 'redis://u@h'],
    ['redis://u:a@b:c@h', 'redis://u:***@h'],
    ['redis+sentinel://u:p/w@a:1,b:2/main', 'redis+sentinel://u:***@a:1,b:2/main'],
    ['unix://u:p@/run/redis.sock?db=1', 'unix://u:***@/run/redis.sock?db=1'],
  ])('%s', (url, masked) => expect(maskUrl(url)).toBe(masked));
});
