import type { QueueKeys, RedisReply, RunTemplate, Store } from '@echomq/core';

/** A scheduler as its hash has it. Instants and spans in ms. */
export interface SchedulerRecord {
  readonly name: string;
  readonly every?: number;
  readonly pattern?: string;
  readonly timeZone?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly startAt?: number;
  readonly endAt?: number;
  /** Runs made so far. */
  readonly iterations: number;
  /** JSON text of the template's options with the layout's short names. */
  readonly opts: string;
  /** JSON text. */
  readonly data: Buffer;
}

const EMPTY_OBJECT = Buffer.from('{}');

/** Reads a scheduler; `undefined` when there is none, or a record of another kind (BullMQ's legacy repeatables). */
export async function readScheduler(
  store: Store,
  queue: QueueKeys,
  schedulerId: string,
): Promise<SchedulerRecord | undefined> {
  const reply = await store.command('HGETALL', [queue.scheduler(schedulerId)]);
  return recordFromFlat(Array.isArray(reply) ? reply : []);
}

/** Reads a flat reply of names and values. Its `ic` is what tells a scheduler from a legacy repeatable. */
export function recordFromFlat(flat: readonly RedisReply[]): SchedulerRecord | undefined {
  const hash = new Map<string, Buffer>();
  for (let i = 0; i + 1 < flat.length; i += 2) hash.set(String(flat[i]), flat[i + 1] as Buffer);
  if (!hash.has('ic')) return undefined;
  const text = (field: string) => hash.get(field)?.toString();
  const number = (field: string) => {
    const value = Number(hash.get(field)?.toString() ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const given = <K extends string, V>(key: K, value: V | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
  return {
    name: text('name') ?? '',
    ...given('every', number('every')),
    ...given('pattern', text('pattern')),
    ...given('timeZone', text('tz')),
    ...given('offset', number('offset')),
    ...given('limit', number('limit')),
    ...given('startAt', number('startDate')),
    ...given('endAt', number('endDate')),
    iterations: number('ic') ?? 0,
    opts: text('opts') ?? '{}',
    data: hash.get('data') ?? EMPTY_OBJECT,
  };
}

/** What the script makes a run from. */
export function runTemplate(schedulerId: string, record: SchedulerRecord): RunTemplate {
  const repeat = {
    every: record.every,
    pattern: record.pattern,
    tz: record.timeZone,
    limit: record.limit,
    startDate: record.startAt,
    endDate: record.endAt,
  };
  const priority = priorityOf(record.opts);
  return {
    head: withoutBraces(record.opts),
    repeatHead: withoutBraces(JSON.stringify(repeat)),
    jsonId: JSON.stringify(schedulerId).slice(1, -1),
    data: record.data,
    ...(priority > 0 ? { priority } : {}),
  };
}

function priorityOf(opts: string): number {
  try {
    const { priority } = JSON.parse(opts) as { priority?: unknown };
    return typeof priority === 'number' ? priority : 0;
  } catch {
    return 0;
  }
}

/** The members of a JSON object; a text that is none has none. */
function withoutBraces(json: string): string {
  const text = json.trim();
  return text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).trim() : '';
}
