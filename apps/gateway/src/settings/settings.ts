import { ACCESS_SETTINGS, CONFIG_SETTING } from './access-settings.js';
import { namedBackoffs } from './backoff-text.js';
import { LIMIT_SETTINGS } from './limit-settings.js';
import { OBSERVATION_SETTINGS } from './observation-settings.js';
import { keyPrefix, listenAddress, oneOf, wholeNumber, yesOrNo } from './parsers.js';
import { REDIS_SETTINGS } from './redis-settings.js';
import { always, file, type Setting } from './setting.js';

/** The longest span that a timer keeps. */
const LONGEST_MS = 2_147_483_647;

/** All settings: the one place that flags, variables, `--help` and docs/operations.md come from. */
export const SETTINGS = {
  config: CONFIG_SETTING,
  listen: always({
    about: 'where to listen; port 0 picks a free one',
    value: 'host:port',
    fallback: '127.0.0.1:50051',
    parse: listenAddress,
  }),
  tlsCert: file('certificate chain of this server, PEM'),
  tlsKey: file('private key of this server, PEM'),
  tlsClientCa: file('authority of client certificates, PEM; clients must then show one'),
  insecure: always({
    about:
      'on addresses other than loopback: serve in plain text, and everybody, where nothing is set',
    fallback: 'false',
    parse: yesOrNo,
  }),
  ...ACCESS_SETTINGS,
  ...REDIS_SETTINGS,
  prefix: always({
    about: 'first part of every key',
    value: 'text',
    fallback: 'bull',
    parse: keyPrefix,
  }),
  queueTag: always({
    about: 'in a cluster: auto puts a queue name without braces into braces, never refuses it',
    value: 'auto|never',
    fallback: 'auto',
    parse: oneOf(['auto', 'never']),
  }),
  stalledIntervalMs: always({
    about: 'time between two looks for jobs whose worker is gone',
    value: 'ms',
    fallback: '30000',
    parse: wholeNumber(10, LONGEST_MS),
  }),
  maxStalledCount: always({
    about: 'how often a job may stall before it fails',
    value: 'n',
    fallback: '1',
    parse: wholeNumber(0, 1_000_000),
  }),
  backoffs: always({
    about:
      'backoffs that jobs ask for by name, in ms: name=wait/wait/… or name=exponential base=1000 factor=2 max=60000 jitter=0.5',
    value: 'name=rule,…',
    fallback: '',
    parse: namedBackoffs,
  }),
  metricsMinutes: always({
    about: 'minutes of metrics to keep per queue; 0 keeps none',
    value: 'n',
    fallback: '0',
    parse: wholeNumber(0, 1_000_000),
  }),
  compatWorkerList: always({
    about:
      "let BullMQ's getWorkers see this gateway: one idle connection to Redis per queue served",
    fallback: 'false',
    parse: yesOrNo,
  }),
  drainTimeoutMs: always({
    about: 'at SIGTERM: time for streams and calls to end by themselves',
    value: 'ms',
    fallback: '25000',
    parse: wholeNumber(0, LONGEST_MS),
  }),
  maxLoopDelayMs: always({
    about:
      'health says NOT_SERVING while the event loop is later than this (p99 of a second), and for 3 s after; 0: never',
    value: 'ms',
    fallback: '2000',
    parse: wholeNumber(0, LONGEST_MS),
  }),
  reflection: always({
    about:
      'answer to server reflection, beyond loopback to administrators; auto: on loopback alone',
    value: 'auto|on|off',
    fallback: 'auto',
    parse: oneOf(['auto', 'on', 'off']),
  }),
  logLevel: always({
    about: 'trace, debug, info, warn, error, fatal or silent',
    value: 'level',
    fallback: 'info',
    parse: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  }),
  logFormat: always({
    about: 'json: a line of JSON per event; text: for people',
    value: 'json|text',
    fallback: 'json',
    parse: oneOf(['json', 'text']),
  }),
  ...OBSERVATION_SETTINGS,
  ...LIMIT_SETTINGS,
};

/** The key of a setting. */
export type SettingKey = keyof typeof SETTINGS;

/** All values. */
export type Values = {
  readonly [K in SettingKey]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

/** The keys in the order of `--help`. */
export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

const words = (key: string): string[] => key.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

/** `--redis-url` for `redisUrl`. */
export const flagOf = (key: SettingKey): string => `--${words(key).join('-')}`;

/** `ECHOMQ_REDIS_URL` for `redisUrl`. */
export const variableOf = (key: SettingKey): string =>
  `ECHOMQ_${words(key).join('_').toUpperCase()}`;
