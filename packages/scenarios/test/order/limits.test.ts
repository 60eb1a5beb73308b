import { BackoffType, msToDuration } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import {
  add,
  addMany,
  complete,
  fail,
  finish,
  type RawClient,
  scaled,
  span,
  take,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig({ gateways: 2 });

/** Works one slot until so many jobs have ended in all. */
async function slot(raw: RawClient, queue: string, isOver: () => boolean, done: () => void) {
  while (!isOver()) {
    const [job] = await take(raw, queue, { wait: span(1_000) });
    if (job === undefined) continue;
    await finish(raw, job, complete());
    done();
  }
}

it('T069 limit overshoot: no span holds more than its share, and no window of that length more than twice as much', async () => {
  const queue = rig.freshQueue();
  const raws = rig.gateways.map(({ address }) => rig.raw(address));
  const [raw] = raws;
  if (raw === undefined) throw new Error('no gateway');
  const [max, spanMs, JOBS] = scaled([10, 200, 100], [10, 1_000, 200]) as [number, number, number];
  const rateLimit = { max, duration: span(spanMs) };
  await raw.call('queue', 'setRateLimit', { queue: queue.name, rateLimit });
  const ids = await addMany(raw, queue.name, JOBS);
  let ended = 0;
  const workers = Array.from({ length: 4 }, (_, at) =>
    slot(
      raws[at % raws.length] ?? raw,
      queue.name,
      () => ended >= JOBS,
      () => {
        ended += 1;
      },
    ),
  );
  await Promise.all(workers);
  const state = await queue.read();
  const starts = ids
    .map((id) => Number((state[id] as Record<string, string>).processedOn))
    .sort((a, b) => a - b);
  // A span begins with its first job: from one that begins a span the next `max` are not before its end.
  const spans: number[] = [];
  for (let at = 0; at < starts.length; ) {
    const begin = starts[at] ?? 0;
    const within = starts.filter((start) => start >= begin && start < begin + spanMs - 1);
    spans.push(within.length);
    at = starts.findIndex((start) => start >= begin + spanMs - 1);
    if (at < 0) break;
  }
  expect(Math.max(...spans)).toBeLessThanOrEqual(max);
  // Fixed spans: a window over two of them may hold the end of one and the beginning of the next.
  const windows = starts.map((from) => starts.filter((s) => s >= from && s < from + spanMs).length);
  expect(Math.max(...windows)).toBeLessThanOrEqual(2 * max);
  expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(
    (JOBS / max - 1) * spanMs - 50,
  );
});

describe('backoffs that grow', () => {
  it('T072 backoff overflow: each wait is finite, not shorter than the last, and at most the documented maximum', async () => {
    const raw = rig.raw();
    const DAY_MS = 86_400_000;
    for (const jitter of [0, 0.5]) {
      const queue = rig.freshQueue();
      const backoff = { type: BackoffType.EXPONENTIAL, delay: msToDuration(120_000), jitter };
      const id = await add(raw, queue.name, { attempts: 60, backoff });
      const waits: number[] = [];
      for (let attempt = 1; attempt < 60; attempt += 1) {
        const { result } = await finish(raw, await takeOne(raw, queue.name), fail('again'));
        const { seconds = 0, nanos = 0 } = result?.retryIn ?? {};
        waits.push(Number(seconds) * 1_000 + nanos / 1e6);
        await raw.call('queue', 'promoteJob', { queue: queue.name, jobId: id });
      }
      const most = Array.from({ length: 59 }, (_, at) => Math.min(120_000 * 2 ** at, DAY_MS));
      const least = most.map((ms) => ms * (1 - jitter));
      const off = waits.filter((ms, at) => !(ms >= (least[at] ?? 0) - 1 && ms <= (most[at] ?? 0)));
      expect(off).toEqual([]);
      if (jitter === 0) expect(waits).toEqual(most);
      const { result } = await finish(raw, await takeOne(raw, queue.name), fail('at last'));
      expect(result?.attemptsMade).toBe(60);
      expect(await queue.read()).toMatchObject({ failed: [[id, expect.any(Number)]] });
    }
  });
});
