import type { RedisReply } from '@echomq/core';

/** An entry of a queue's event stream. Values are bytes as they stand. */
export interface StreamEntry {
  /** `ms-seq`. */
  readonly id: string;
  /** The event's name. */
  readonly type: string;
  readonly fields: ReadonlyMap<string, Buffer>;
}

/** Reads the entries of XRANGE, or of one stream of XREAD. */
export function entriesOf(reply: RedisReply | undefined): StreamEntry[] {
  if (!Array.isArray(reply)) return [];
  return reply.map((row) => {
    const [id, flat] = row as [Buffer, readonly Buffer[]];
    const fields = new Map<string, Buffer>();
    for (let i = 0; i + 1 < flat.length; i += 2) fields.set(String(flat[i]), flat[i + 1] as Buffer);
    return { id: String(id), type: fields.get('event')?.toString() ?? '', fields };
  });
}

/** Reads the streams of XREAD: pairs in RESP2, one flat list of names and entries in RESP3. */
export function streamsOf(reply: RedisReply | undefined): [key: string, entries: StreamEntry[]][] {
  if (!Array.isArray(reply)) return [];
  const flat = Array.isArray(reply[0]) ? reply.flat() : reply;
  const streams: [string, StreamEntry[]][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    streams.push([String(flat[i]), entriesOf(flat[i + 1] as RedisReply)]);
  }
  return streams;
}

/** Whether a text is a stream id. */
export function isStreamId(text: string): boolean {
  return /^\d{1,16}-\d{1,19}$/.test(text);
}

/** Compares two stream ids; their parts may pass 2^53. */
export function compareIds(a: string, b: string): number {
  const [aMs = '0', aSeq = '0'] = a.split('-');
  const [bMs = '0', bSeq = '0'] = b.split('-');
  const ms = BigInt(aMs) - BigInt(bMs);
  const order = ms === 0n ? BigInt(aSeq) - BigInt(bSeq) : ms;
  return order < 0n ? -1 : order > 0n ? 1 : 0;
}
