import * as pb from '@echomq/proto/messages';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Leased, LeaseWatch } from '../src/worker/lease-watch.js';

const LOCK_MS = 3_000;
/** What a lease surely lives after an answered heartbeat, where the server says nothing. */
const SURE_MS = 2_000;
/** A handler is told so much earlier. */
const MARGIN_MS = 150;

interface Job extends Leased {
  readonly name: string;
  firstSeq: number | undefined;
  runs: boolean;
}

let held: Job[];
let doubted: { name: string; at: number }[];
let began: number;
let watch: LeaseWatch<Job>;

const now = () => performance.now() - began;

/** A job whose handler begins now, with a whole lock before it. */
function begin(name: string, firstSeq?: number): Job {
  const lease = { queue: 'q', jobId: name, leaseToken: `t-${name}` };
  const until = performance.now() + LOCK_MS;
  const job = { name, lease, firstSeq, runs: true, safeUntil: until, lockUntil: until };
  held.push(job);
  watch.arm();
  return job;
}

function answer(seq: number, leases: pb.LeaseRenewal[] = []): void {
  watch.answered({ seq, leases }, SURE_MS);
}

const renewed = (name: string, ttlMs: number): pb.LeaseRenewal => ({
  leaseToken: `t-${name}`,
  status: pb.LeaseStatus.EXTENDED,
  lockTtl: pb.msToDuration(ttlMs),
});

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
  });
  held = [];
  doubted = [];
  began = performance.now();
  watch = new LeaseWatch(
    () => held,
    (job) => {
      // The fake clock runs its timers up to a ms late.
      doubted.push({ name: job.name, at: Math.floor(now() / 10) * 10 });
      held = held.filter((each) => each !== job);
    },
    () => LOCK_MS,
  );
});

afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

/** Lets time pass. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe('LeaseWatch', () => {
  it('calls out just before the lock of the delivery ends', async () => {
    begin('a');
    await pass(LOCK_MS - MARGIN_MS - 1);
    expect(doubted).toEqual([]);
    await pass(2);
    expect(doubted).toEqual([{ name: 'a', at: LOCK_MS - MARGIN_MS }]);
    await pass(10_000);
    expect(doubted).toHaveLength(1);
  });

  it('says nothing of a job that waits for a slot, and knows how it stands when it begins', async () => {
    const job = begin('a', 1);
    job.runs = false;
    await pass(2_000);
    watch.sent(1);
    answer(1);
    await pass(1_500);
    expect(doubted).toEqual([]);
    job.runs = true;
    watch.arm();
    await pass(5_000);
    expect(doubted).toEqual([{ name: 'a', at: 2_000 + SURE_MS - MARGIN_MS }]);
  });

  it('counts an answer from when it was asked for, not from when it came', async () => {
    begin('a', 1);
    await pass(2_000);
    watch.sent(1);
    await pass(500);
    answer(1);
    await pass(5_000);
    expect(doubted).toEqual([{ name: 'a', at: 2_000 + SURE_MS - MARGIN_MS }]);
  });

  it('takes no answer for a job that the heartbeat had not named', async () => {
    begin('old', 1);
    watch.sent(1);
    begin('new', 2);
    await pass(1_500);
    watch.sent(3);
    answer(1);
    await pass(5_000);
    expect(doubted.map(({ at }) => at)).toEqual([LOCK_MS - MARGIN_MS, LOCK_MS - MARGIN_MS]);
  });

  it('takes the answer to one that named some for those alone', async () => {
    begin('other', 1);
    const named = begin('named', 2);
    await pass(2_000);
    watch.sent(2, [named]);
    answer(2);
    await pass(5_000);
    expect(doubted).toEqual([
      { name: 'other', at: LOCK_MS - MARGIN_MS },
      { name: 'named', at: 2_000 + SURE_MS - MARGIN_MS },
    ]);
  });

  it('sets itself by what begins while it is set, whatever ran before', async () => {
    begin('long', 1);
    const short = begin('short', 2);
    short.safeUntil = performance.now() + 500;
    watch.arm([short]);
    await pass(5_000);
    expect(doubted.map(({ name }) => name)).toEqual(['short', 'long']);
  });

  it('keeps a lease over any time while heartbeats are answered', async () => {
    begin('a', 1);
    for (let seq = 1; seq <= 50; seq += 1) {
      watch.sent(seq);
      await pass(300);
      answer(seq);
      await pass(200);
    }
    expect(doubted).toEqual([]);
    await pass(SURE_MS);
    expect(doubted).toEqual([{ name: 'a', at: 49 * 500 + SURE_MS - MARGIN_MS }]);
  });

  it('believes what the server says of a lock, and then nothing less', async () => {
    begin('a', 1);
    await pass(1_000);
    watch.sent(1);
    answer(1, [renewed('a', LOCK_MS)]);
    await pass(1_000);
    watch.sent(2);
    answer(2);
    await pass(10_000);
    expect(doubted).toEqual([{ name: 'a', at: 1_000 + LOCK_MS - MARGIN_MS }]);
  });

  it('never shortens a lease', async () => {
    const job = begin('a', 1);
    const { safeUntil } = job;
    watch.sent(1);
    answer(1, [renewed('a', 10)]);
    expect(job.safeUntil).toBe(safeUntil);
  });

  it('takes no answer to what was asked on an earlier stream', async () => {
    begin('a', 1);
    await pass(1_500);
    watch.sent(1);
    watch.forgetSent();
    answer(1);
    await pass(5_000);
    expect(doubted).toEqual([{ name: 'a', at: LOCK_MS - MARGIN_MS }]);
  });

  it('watches each job by itself, and stops', async () => {
    begin('a');
    await pass(1_000);
    begin('b');
    await pass(LOCK_MS - 1_000);
    expect(doubted.map(({ name }) => name)).toEqual(['a']);
    watch.stop();
    await pass(10_000);
    expect(doubted.map(({ name }) => name)).toEqual(['a']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives a job up early that the server may not know to be accepted', async () => {
    const job = begin('a', 1);
    job.safeUntil = performance.now() + 1_000;
    watch.arm();
    const heard = begin('b', 1);
    heard.safeUntil = performance.now() + 1_000;
    watch.arm();
    held = [job];
    await pass(1_000);
    expect(doubted).toEqual([{ name: 'a', at: 1_000 - MARGIN_MS }]);
    held = [heard];
    watch.sent(1);
    answer(1);
    expect(heard.safeUntil).toBe(heard.lockUntil);
  });
});
