import type { RedisReply } from '@echomq/core';
import { type Fault, FaultKind } from '@echomq/proto/messages';
import { fault } from './fault.js';
import type { Inspected } from './inspected.js';

/** The type of value that each key should hold. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ wait: 'list', paused: 'list', active: 'list' },
  ...{ prioritized: 'zset', delayed: 'zset', 'waiting-children': 'zset' },
  ...{ completed: 'zset', failed: 'zset', marker: 'zset', repeat: 'zset' },
  ...{ meta: 'hash', events: 'stream', stalled: 'set', id: 'string', pc: 'string' },
};
const LEGACY_KEYS = ['priority', 'delay'] as const;

/** What is broken about a queue as a whole: wrong keys, what old versions left, a missing marker. */
export async function gateFaults(inspected: Inspected): Promise<Fault[]> {
  const wrong = await wrongTypes(inspected);
  const faults = [...wrong, ...(await legacyKeys(inspected))];
  // Of keys that are none of a queue nothing more can be told.
  if (wrong.length > 0) return faults;
  return [...faults, ...(await parkedJobs(inspected)), ...(await missingMarker(inspected))];
}

async function wrongTypes({ store, queue, seenAt }: Inspected): Promise<Fault[]> {
  const entries = Object.entries(TYPES);
  const found = await Promise.all(
    entries.map(([name]) => store.command('TYPE', [`${queue.keys.base}${name}`])),
  );
  return entries.flatMap(([name, wanted], at) => {
    const type = String(found[at]);
    if (type === 'none' || type === wanted) return [];
    const why = `the key holds a ${type} and should hold a ${wanted}: look at what wrote it`;
    return [fault(FaultKind.WRONG_TYPE, name, { why }, seenAt)];
  });
}

async function legacyKeys({ store, queue, seenAt }: Inspected): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const name of LEGACY_KEYS) {
    const type = String(await store.command('TYPE', [`${queue.keys.base}${name}`]));
    // A hash may be a job with that id.
    if (type === 'none' || type === 'hash') continue;
    const why = `a ${type} of an old version of BullMQ, which nobody reads`;
    faults.push(fault(FaultKind.LEGACY_KEY, name, { why }, seenAt));
  }
  return faults;
}

/** A paused queue whose last writer was BullMQ 5 has its jobs there by right. */
async function parkedJobs({ store, queue, seenAt }: Inspected): Promise<Fault[]> {
  const parked = Number(await store.command('LLEN', [queue.keys.paused]));
  if (parked === 0) return [];
  const [paused, version] = array(
    await store.command('HMGET', [queue.keys.meta, 'paused', 'version']),
  );
  if (paused !== null && /^bullmq:[1-5]\./.test(String(version))) return [];
  const state =
    paused === null ? 'the queue is not paused' : `${version ?? 'its writer'} does not use it`;
  const why = `${parked} jobs are parked there as BullMQ 5 does, and ${state}`;
  return [fault(FaultKind.PARKED, 'paused', { why }, seenAt)];
}

async function missingMarker({ store, queue, seenAt }: Inspected): Promise<Fault[]> {
  const { keys } = queue;
  const [wait, first, active, marker, limiter, meta] = await Promise.all([
    store.command('LINDEX', [keys.wait, -1]),
    store.command('ZRANGE', [keys.prioritized, 0, 0]),
    store.command('LLEN', [keys.active]),
    store.command('EXISTS', [keys.marker]),
    store.command('PTTL', [keys.limiter]),
    store.command('HMGET', [keys.meta, 'paused', 'concurrency']),
  ]);
  const next = wait ?? array(first)[0];
  const [paused, concurrency] = array(meta);
  const shut = paused !== null || Number(limiter) > 0 || Number(concurrency ?? 1) <= 0;
  if (next === undefined || Number(active) > 0 || Number(marker) > 0 || shut) return [];
  const why = `${String(next)} waits, nobody works, and no marker would wake a worker`;
  return [fault(FaultKind.MARKER_MISSING, 'marker', { why, evidence: String(next) }, seenAt)];
}

function array(reply: RedisReply): readonly RedisReply[] {
  return Array.isArray(reply) ? reply : [];
}
