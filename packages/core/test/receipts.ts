import type { QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../src/receipts.js';
import { refusal, type TestQueue, type UsedStore } from './use-store.js';

/** A receipt of a worker's session, as `7` of it. */
export function sessionReceipt({ keys }: TestQueue, more: Partial<Receipt> = {}): Receipt {
  return { key: keys.sessionReceipts('s'), field: '7', digest: 'd7', ttl: 120_000, ...more };
}

/** Where {@link sessionReceipt} stands in a dump. */
export const RECEIPTS = 'meta:rcpt:s';

/** A call that leaves a receipt. */
export interface ReceiptCall {
  readonly seed: QueueState;
  readonly call: (queue: TestQueue, receipt: Receipt) => Promise<unknown>;
  /** What the receipt says behind format, digest and the count of replays, as JSON text. */
  readonly answer: string;
  /** What the repeated call answers, from the first answer. */
  readonly again: (first: unknown) => unknown;
}

/** The answer of a hold's end that was carried out before. */
export function endedBefore(first: unknown): unknown {
  return { ...(first as object), replays: 0 };
}

/** The answer of an add that was carried out before. */
export function addedBefore(first: unknown): unknown {
  return { ...(first as object), replayed: true };
}

/** What every transition with a receipt does with it; whole states are compared. */
export function itKeepsReceipts(used: UsedStore, of: ReceiptCall): void {
  const { seed, call, answer, again } = of;
  const seeded = async (more: QueueState = {}): Promise<TestQueue> => {
    const queue = used.queue();
    await queue.seed(seed);
    await queue.seed(more);
    return queue;
  };

  describe('keeps a receipt', () => {
    it('in the same step, for a time', async () => {
      const queue = await seeded();
      await call(queue, sessionReceipt(queue));
      expect((await queue.read())[RECEIPTS]).toEqual({ 7: `[1,"d7",0,${answer}]` });
      const ttl = (await queue.readTtls())[RECEIPTS];
      expect(ttl).toBeGreaterThan(100_000);
      expect(ttl).toBeLessThanOrEqual(120_000);
    });

    it('and answers a repeated call as the first, without a change', async () => {
      const queue = await seeded();
      const first = await call(queue, sessionReceipt(queue));
      const before = await queue.read();
      expect(await call(queue, sessionReceipt(queue))).toEqual(again(first));
      expect(await queue.read()).toEqual(before);
    });

    it('and rejects REQUEST_ID_REUSED for another body, and writes nothing', async () => {
      const queue = await seeded();
      await call(queue, sessionReceipt(queue));
      const other = () => call(queue, sessionReceipt(queue, { digest: 'other' }));
      expect(await refusal(queue, other)).toBe('REQUEST_ID_REUSED');
    });

    it.each(['[2,"d7",0]', 'no json', '7'])(
      'and takes one that it cannot read for another body: %s',
      async (foreign) => {
        const queue = await seeded({ [RECEIPTS]: { 7: foreign } });
        const repeated = () => call(queue, sessionReceipt(queue));
        expect(await refusal(queue, repeated)).toBe('REQUEST_ID_REUSED');
      },
    );

    it('and deletes those that are acknowledged', async () => {
      const queue = await seeded({ [RECEIPTS]: { 3: 'x', 4: 'x', 5: 'x' } });
      await call(queue, sessionReceipt(queue, { acked: ['3', '4', '6'] }));
      expect((await queue.read())[RECEIPTS]).toEqual({ 5: 'x', 7: expect.any(String) });
    });

    it('or as a string of its own, where the request has no parts', async () => {
      const queue = await seeded();
      const { field: _, ...receipt } = sessionReceipt(queue);
      const first = await call(queue, receipt);
      const before = await queue.read();
      expect(before[RECEIPTS]).toBe(`[1,"d7",0,${answer}]`);
      expect((await queue.readTtls())[RECEIPTS]).toBeGreaterThan(100_000);
      expect(await call(queue, receipt)).toEqual(again(first));
      const other = () => call(queue, { ...receipt, digest: 'other' });
      expect(await refusal(queue, other)).toBe('REQUEST_ID_REUSED');
    });

    it('and refuses another part of a request with another body', async () => {
      const queue = await seeded({ 'meta:req:r': { 0: '[1,"other",0]', body: 'other' } });
      const receipt = sessionReceipt(queue, { key: queue.keys.requestReceipts('r'), whole: true });
      expect(await refusal(queue, () => call(queue, receipt))).toBe('REQUEST_ID_REUSED');
      await queue.seed({ 'meta:req:r': { 0: '[1,"d7",0]', body: 'd7' } });
      await call(queue, receipt);
      expect((await queue.read())['meta:req:r']).toEqual({
        0: '[1,"d7",0]',
        7: `[1,"d7",0,${answer}]`,
        body: 'd7',
      });
    });
  });
}
