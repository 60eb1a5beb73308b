import { DEFAULT_LIMITS, type Limits } from '@echomq/engine';
import { wholeNumber } from './parsers.js';
import type { Setting } from './setting.js';

/** A line for each limit of the engine: a limit without one does not compile. */
const ABOUT: Readonly<Record<keyof Limits, string>> = {
  maxPayloadBytes: "one job's data, and its result",
  maxResponseBytes: 'jobs in one answer or delivery',
  maxMessageBytes: 'one message on the wire, each way',
  maxBulkItems: 'jobs of one AddJobs',
  maxAtomicBulkBytes: 'bytes of one AddJobs in mode ATOMIC',
  maxWaitMs: 'longest wait of a long poll',
  defaultWaitMs: 'wait of a long poll that names none',
  maxWaiters: 'long polls at one time',
  maxStreams: 'streams at one time',
  minLockMs: 'shortest lock that a worker may ask for',
  maxLockMs: 'longest lock that a worker may ask for',
  defaultLockMs: 'lock of a worker that names none',
  maxLockLifetimeMs: 'how long one delivery is renewed at most',
  maxBatch: 'jobs of one FetchJobs, leases of one FinishJobs',
  maxExtend: 'leases of one ExtendLocks',
  maxLogLines: 'log lines of one call',
  maxLogBytes: 'bytes of log lines of one call',
  maxPageSize: 'rows of one page',
  defaultPageSize: 'rows of a page where the call names none',
  maxJsonDepth: 'nesting of a JSON payload',
  maxErrorBytes: 'stored text of an error',
  maxStackBytes: 'stored text of one stack',
  maxStacks: 'stacks kept per job where it names none',
  maxBackoffMs: 'cap on the delay of a retry',
};

/** The largest value that is a number of bytes, of things or of milliseconds that a timer keeps. */
const MOST = 2_147_483_647;

function limitSetting(key: keyof Limits): Setting<number> {
  return {
    about: `limit: ${ABOUT[key]}`,
    value: key.endsWith('Ms') ? 'ms' : 'n',
    fallback: String(DEFAULT_LIMITS[key]),
    parse: wholeNumber(key === 'maxStacks' ? 0 : 1, MOST),
  };
}

/** The keys of all limits. */
export const LIMIT_KEYS = Object.keys(ABOUT) as (keyof Limits)[];

/** A setting for each limit, named like it. */
export const LIMIT_SETTINGS = Object.fromEntries(
  LIMIT_KEYS.map((key) => [key, limitSetting(key)]),
) as { readonly [K in keyof Limits]: Setting<number> };
