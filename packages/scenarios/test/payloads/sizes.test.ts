import { randomBytes } from 'node:crypto';
import { PayloadTooLarge } from '@echomq/sdk';
import { describe, expect, it } from 'vitest';
import { complete, finish, idsIn, refusalOf, takeOne, useRig } from '../../src/index.js';

const LIMIT = 2 * 1024 * 1024;
const rig = useRig({ flags: [`--max-payload-bytes=${LIMIT}`] });

/** A JSON string of exactly so many bytes. */
const text = (bytes: number, char = 'x') => {
  const width = Buffer.byteLength(char);
  const room = bytes - 2;
  return `"${char.repeat(Math.floor(room / width))}${'x'.repeat(room % width)}"`;
};
const send = (queue: string, data: Buffer | string) =>
  rig.raw().call('producer', 'addJob', { queue, name: 'x', data: Buffer.from(data) });

describe('the size of a payload', () => {
  it.each(['x', 'é', '😀'])(
    'T093 payload limit: bytes are counted, the limit is taken and one more is refused with the sizes (%s)',
    async (char) => {
      const queue = rig.freshQueue();
      for (const bytes of [LIMIT - 1, LIMIT]) {
        expect(Buffer.byteLength(text(bytes, char))).toBe(bytes);
        await send(queue.name, text(bytes, char));
      }
      const { status, reason, metadata, message } = await refusalOf(
        send(queue.name, text(LIMIT + 1, char)),
      );
      expect([status, reason]).toEqual(['INVALID_ARGUMENT', 'PAYLOAD_TOO_LARGE']);
      expect(JSON.stringify([metadata, message])).toContain(`${LIMIT + 1}`);
      expect(JSON.stringify([metadata, message])).toContain(`${LIMIT}`);
      const jobs = rig.queue<unknown>(queue.name);
      const value = JSON.parse(text(LIMIT + 1, char)) as string;
      await expect(jobs.add('x', value)).rejects.toBeInstanceOf(PayloadTooLarge);
      expect(idsIn(await queue.read(), 'wait')).toHaveLength(2);
    },
  );

  it('T094 binary bloat: raw bytes are refused, as base64 they are stored with a third more and come back the same', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const bytes = randomBytes(1_048_576);
    const refused = await refusalOf(send(queue.name, bytes));
    expect([refused.status, refused.reason]).toEqual(['INVALID_ARGUMENT', 'PAYLOAD_NOT_JSON']);
    await send(queue.name, JSON.stringify(bytes.toString('base64')));
    const job = await takeOne(raw, queue.name);
    const data = JSON.parse(job.data.toString()) as string;
    expect(Buffer.from(data, 'base64').equals(bytes)).toBe(true);
    const bad = await refusalOf(
      finish(raw, job, { $case: 'complete', value: { returnValue: bytes } }),
    );
    expect(bad.reason).toBe('PAYLOAD_NOT_JSON');
    await finish(raw, job, complete(data));
    const stored = await rig.redis.client.hmget(queue.key(job.lease.jobId), 'data', 'returnvalue');
    for (const value of stored) {
      expect(Buffer.byteLength(value ?? '')).toBeLessThanOrEqual(1.35 * bytes.length);
      expect(JSON.parse(value ?? '')).toBe(data);
    }
  });

  it.each([3.9, 4.1, 16])(
    'T097 4 MB default: %d MB of data are refused by a message that names the limit',
    async (megabytes) => {
      const queue = rig.freshQueue();
      const jobs = rig.queue<string>(queue.name);
      const data = 'x'.repeat(megabytes * 1_000_000);
      const error = await jobs.add('x', data).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(PayloadTooLarge);
      const { message } = error as Error;
      // Below the limit of a message the gateway says its own; above it the SDK says that of a message.
      expect(message).toMatch(new RegExp(`${LIMIT}|${4 * 1_048_576}`));
      expect(await queue.read()).toEqual({});
      // The connection is as good as before.
      await jobs.add('x', 'small');
    },
  );
});
