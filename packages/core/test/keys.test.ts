import { readFileSync } from 'node:fs';
import { useRedis } from '@echomq/testkit';
import calculateSlot from 'cluster-key-slot';
import { describe, expect, it } from 'vitest';
import { hasHashTag, prefixProblem, QueueKeys, storedQueueName } from '../src/keys.js';

const redis = useRedis();
const LIB = readFileSync(new URL('../../../lua/lib/keys.lua', import.meta.url), 'utf8');

/** Runs the Lua lib's functions on a prefix (`bull:q:`) and an id. */
async function luaKeys(base: string, id: string): Promise<Record<string, string>> {
  const script = `${LIB}
local keys = queueKeys(ARGV[1])
local job = jobKey(ARGV[1], ARGV[2])
keys.job, keys.lock, keys.logs, keys.dependencies = job, lockKey(job), logsKey(job), dependenciesKey(job)
keys.processed, keys.ignoredFailures = processedKey(job), ignoredFailuresKey(job)
keys.failedChildren, keys.counters = failedChildrenKey(job), countersKey(ARGV[1])
keys.deduplication, keys.keptLast = deduplicationKey(ARGV[1], ARGV[2]), keptLastKey(ARGV[1], ARGV[2])
keys.scheduler = schedulerKey(ARGV[1], ARGV[2])
keys.cancel, keys.cancelChannel = cancelKey(ARGV[1], ARGV[2]), cancelChannel(ARGV[1])
keys.worker, keys.workers = workerKey(ARGV[1], ARGV[2]), workerKey(ARGV[1], 'index')
local flat = {}
for name, key in pairs(keys) do flat[#flat + 1] = name flat[#flat + 1] = key end
return flat`;
  const flat = (await redis.client.call('EVAL', script, 0, base, id)) as string[];
  const found: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) found[flat[at] as string] = flat[at + 1] as string;
  return found;
}

/** The same keys from the TypeScript twin. */
function typescriptKeys(keys: QueueKeys, id: string): Record<string, string> {
  const { prefix: _, name: __, base: ___, stalledCheck: ____, ...queue } = keys;
  return {
    ...queue,
    job: keys.job(id),
    lock: keys.lock(id),
    logs: keys.logs(id),
    dependencies: keys.dependencies(id),
    processed: keys.processed(id),
    ignoredFailures: keys.ignoredFailures(id),
    failedChildren: keys.failedChildren(id),
    deduplication: keys.deduplication(id),
    keptLast: keys.keptLast(id),
    scheduler: keys.scheduler(id),
    cancel: keys.cancel(id),
    worker: keys.worker(id),
    failedMetrics: keys.metrics('failed'),
  };
}

describe('the keys of TypeScript and of Lua', () => {
  it.each([
    ['bull', 'orders', '1'],
    ['bull', '{orders}', 'repeat:nightly:1700000000000'],
    ['{a:b}', 'żółw 🐢', 'a:b:c'],
    ['', 'q', ''],
    ['a:b:c', '[*?]\\', '%d %s'],
    ['}{', '{}', '{x}'],
  ])('are the same for prefix "%s", queue "%s", id "%s"', async (prefix, name, id) => {
    const keys = new QueueKeys(prefix, name);
    const lua = await luaKeys(keys.base, id);
    expect(lua).toEqual(typescriptKeys(keys, id));
  });

  it('TypeScript alone knows when the next stalled check is due, and the metrics of a completion', () => {
    const keys = new QueueKeys('bull', 'q');
    expect(keys.stalledCheck).toBe('bull:q:stalled-check');
    expect(keys.metrics('completed')).toBe('bull:q:metrics:completed');
  });
});

describe('storedQueueName', () => {
  it.each(['orders', 'a{b', 'a}b', '}{', '{', '}', '{}', 'a{}b', '{}{x}', '{a}b{c}', 'żółw'])(
    'puts all keys of the queue "%s" into one slot',
    (name) => {
      for (const prefix of ['bull', '{x}', 'a{', 'b}']) {
        const keys = new QueueKeys(prefix, storedQueueName(name, prefix, true));
        const all = Object.values(typescriptKeys(keys, '}odd{id}'));
        expect(new Set(all.map((key) => calculateSlot(key))).size).toBe(1);
      }
    },
  );

  it.each(['{}', 'a{}b', 'a{}{b}', 'x}{}', '{}:{t}'])('refuses the prefix "%s"', (prefix) => {
    expect(prefixProblem(prefix)).toContain('{}');
    expect(hasHashTag(`${prefix}:{orders}:wait`)).toBe(false);
  });

  it.each(['bull', '{t}', 'a{b}', '{b}{}', '}', 'a{'])('takes the prefix "%s"', (prefix) => {
    expect(prefixProblem(prefix)).toBeUndefined();
    expect(hasHashTag(`${prefix}:{orders}:wait`)).toBe(true);
  });

  it('leaves names alone on a single server', () => {
    expect(storedQueueName('orders', 'bull', false)).toBe('orders');
  });

  it.each([
    ['orders', false],
    ['{orders}', true],
    ['a{b}c', true],
    ['{}', false],
    ['{}{a}', false],
    ['{', false],
    ['}{', false],
  ])('"%s" has a hash tag: %s', (text, has) => {
    expect(hasHashTag(text)).toBe(has);
  });
});
