import { createHash } from 'node:crypto';
import type { RedisClient } from '@echomq/core';
import { jobLine, type Lines, timed } from './lines.js';

/** A whole small queue, and what it announced since the last reading: the stream is emptied by it. */
const SCRIPT = `
local rows = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local kind = redis.call('TYPE', key).ok
  local value
  if kind == 'string' then value = redis.call('GET', key)
  elseif kind == 'list' then value = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then value = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'hash' then value = redis.call('HGETALL', key)
  else
    value = {}
    for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
      local fields = entry[2]
      local id = ''
      for i = 1, #fields, 2 do
        if fields[i] == 'jobId' then id = fields[i + 1] end
      end
      value[#value + 1] = fields[2] .. ' ' .. id
    end
    redis.call('XTRIM', key, 'MAXLEN', 0)
  end
  local ttl = kind == 'string' and redis.call('PTTL', key) or 0
  rows[#rows + 1] = { string.sub(key, #ARGV[1] + 1), kind, value, ttl }
end
return cjson.encode(rows)`;
const SHA = createHash('sha1').update(SCRIPT).digest('hex');

type Row = readonly [name: string, kind: string, value: string | readonly string[], ttl: number];

/** A queue as it was read. */
export interface QueueReading {
  readonly rows: ReadonlyMap<string, Row>;
  /** `name id` of each event since the last reading, in order. */
  readonly events: readonly string[];
}

/** Teaches the server the script; after a flush too. */
export async function loadReader(redis: RedisClient): Promise<void> {
  await redis.send('SCRIPT', ['LOAD', SCRIPT]);
}

/** Reads a queue at one instant. The command is sent in the same turn, behind what was sent before. */
export async function readQueue(redis: RedisClient, base: string): Promise<QueueReading> {
  const reply = await redis.send('EVALSHA', [SHA, 0, base]);
  const parsed = JSON.parse(String(reply)) as Row[] | Record<string, never>;
  const rows = new Map(Array.isArray(parsed) ? parsed.map((row) => [row[0], row]) : []);
  return { rows, events: listOf(rows, 'events') };
}

/** The members of a list, set or stream; of a set with scores, members and scores in turn. */
export function listOf(rows: QueueReading['rows'], name: string): readonly string[] {
  const value = rows.get(name)?.[2];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** Members and scores. */
export function scored(rows: QueueReading['rows'], name: string): [string, number][] {
  return pairs(listOf(rows, name)).map(([id, score]) => [id, Number(score)]);
}

/** Names and values of a hash. */
export function hashOf(rows: QueueReading['rows'], name: string): ReadonlyMap<string, string> {
  return new Map(pairs(listOf(rows, name)));
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [
    flat[2 * at] as string,
    flat[2 * at + 1] as string,
  ]);
}

const LISTS = new Set(['wait', 'active']);
/** Known keys that the model does not tell of: {@link rules} looks at the marker. */
const ASIDE = /^(events|marker|pc|stalled-check|metrics:.*|repeat|meta:(cancel:|req:|rcpt:).*)$/;

/** What was read, in the model's lines. A key that no queue has is a line too. */
export function linesRead({ rows }: QueueReading, base: string): Lines {
  const lines: Lines = {};
  const put = (name: string, text: string) => {
    if (text !== '') lines[name] = text;
  };
  const bare = (key: string) => (key.startsWith(base) ? key.slice(base.length) : key);
  for (const [name, kind, value, ttl] of rows.values()) {
    const hash = kind === 'hash' ? hashOf(rows, name) : undefined;
    if (ASIDE.test(name)) continue;
    if (name === 'meta') put('gate', hash?.has('paused') ? 'paused' : '');
    else if (LISTS.has(name)) put(name, listOf(rows, name).join(' '));
    else if (name === 'stalled') put(name, [...listOf(rows, name)].sort().join(' '));
    else if (name === 'prioritized')
      put(
        name,
        scored(rows, name)
          .map(([id]) => id)
          .join(' '),
      );
    else if (name === 'waiting-children') {
      put(
        name,
        scored(rows, name)
          .map(([id]) => id)
          .sort()
          .join(' '),
      );
    } else if (name === 'completed' || name === 'failed') put(name, timed(scored(rows, name)));
    else if (name === 'delayed') {
      put(name, timed(scored(rows, name).map(([id, score]) => [id, Math.floor(score / 4096)])));
    } else if (name.startsWith('dn:')) put(name, hash?.get('jid') ?? '');
    else if (name.startsWith('de:')) put(name, `${value}${ttl >= 0 ? ' expires' : ''}`);
    else if (name.startsWith('repeat:') && hash?.has('ic')) {
      const due = scored(rows, 'repeat').find(([id]) => `repeat:${id}` === name)?.[1];
      put(name, `next ${due} every ${hash.get('every')} runs ${hash.get('ic')}`);
    } else if (name.endsWith(':logs')) put(name, String(listOf(rows, name).length));
    else if (name.endsWith(':dependencies'))
      put(name, listOf(rows, name).map(bare).sort().join(' '));
    else if (hash && /:(processed|failed)$/.test(name))
      put(name, [...hash.keys()].map(bare).sort().join(' '));
    else if (name.endsWith(':unsuccessful'))
      put(
        name,
        scored(rows, name)
          .map(([key]) => bare(key))
          .sort()
          .join(' '),
      );
    else if (hash?.has('timestamp')) {
      put(
        `job ${name}`,
        jobLine((field) => fieldOf(hash, field, bare, base)),
      );
    } else put(name, String(value));
  }
  const count = (target: string) => hashOf(rows, `metrics:${target}`).get('count') ?? '0';
  put('ended', `${count('completed')} ${count('failed')}`);
  return lines;
}

function fieldOf(
  hash: ReadonlyMap<string, string>,
  field: string,
  bare: (key: string) => string,
  base: string,
): string | undefined {
  const value = hash.get(field);
  if (value === undefined || field === 'parentKey') return value && bare(value);
  return field === 'defa' || field === 'failedReason' ? value.replace(base, '') : value;
}
