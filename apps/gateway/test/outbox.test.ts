import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Outbox } from '../src/binding/outbox.js';

const AFTER_MS = 60_000;

/** A stream whose peer takes one message at a time, when the test says so. */
function peerOf() {
  const taken: (() => void)[] = [];
  const stream = new Writable({ objectMode: true, write: (_chunk, _, done) => taken.push(done) });
  return { stream, take: () => taken.shift()?.() };
}

function full() {
  const { stream, take } = peerOf();
  const end = vi.fn();
  const outbox = new Outbox(stream, { afterMs: AFTER_MS, end });
  while (outbox.send(Buffer.alloc(65_536)));
  return { stream, take, end, outbox };
}

describe('an outbox that is full', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('says so once nothing was taken for the whole span, and not before', async () => {
    const { end } = full();
    await vi.advanceTimersByTimeAsync(AFTER_MS - 1);
    expect(end).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2 * AFTER_MS);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('bears with a peer that reads slowly, and ends one that then stops', async () => {
    const { outbox, take, end } = full();
    for (let count = 0; count < 5; count += 1) {
      await vi.advanceTimersByTimeAsync(AFTER_MS / 2);
      take();
      while (outbox.send(Buffer.alloc(65_536)));
    }
    expect(end).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2 * AFTER_MS);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('forgets the time when there is room again', async () => {
    const { outbox, take, end } = full();
    await vi.advanceTimersByTimeAsync(AFTER_MS - 1);
    for (let count = 0; count < 5; count += 1) {
      take();
      await Promise.resolve();
      await new Promise(process.nextTick);
    }
    expect(outbox.writable).toBe(true);
    await vi.advanceTimersByTimeAsync(3 * AFTER_MS);
    expect(end).not.toHaveBeenCalled();
  });

  it('lets those go who wait for room when it is closed', async () => {
    const { outbox, end } = full();
    const room = outbox.room();
    outbox.close();
    await room;
    await vi.advanceTimersByTimeAsync(2 * AFTER_MS);
    expect(end).not.toHaveBeenCalled();
  });
});
