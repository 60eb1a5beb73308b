import { describe, expect, it } from 'vitest';
import { type ReportBody, ReportOutbox } from '../src/worker/report-outbox.js';

const body = (jobId: string): ReportBody => ({
  lease: { queue: 'q', jobId, leaseToken: jobId },
  outcome: { kind: undefined },
  progress: Buffer.alloc(0),
  logs: [],
});

describe('ReportOutbox', () => {
  it('counts from 1 and says through which number all is answered', () => {
    const outbox = new ReportOutbox<string>();
    const ids = ['a', 'b', 'c'].map((name) => outbox.add(body(name), name).id);
    expect(ids).toEqual([1, 2, 3]);
    expect(outbox.ackedThrough).toBe(0);
    outbox.settle(2);
    expect([outbox.ackedThrough, outbox.size]).toEqual([0, 2]);
    outbox.settle(1);
    expect(outbox.ackedThrough).toBe(2);
    outbox.settle(3);
    expect([outbox.ackedThrough, outbox.size]).toEqual([3, 0]);
    outbox.settle(3);
    expect(outbox.ackedThrough).toBe(3);
  });

  it('keeps what is pending, in order, and numbers it anew in a new session', () => {
    const outbox = new ReportOutbox<string>();
    for (const name of ['a', 'b', 'c']) outbox.add(body(name), name);
    outbox.settle(2);
    const sent = () =>
      [...outbox.messages()].map(({ reportId, lease }) => [reportId, lease?.jobId]);
    expect(sent()).toEqual([
      [1, 'a'],
      [3, 'c'],
    ]);
    outbox.restart();
    expect(sent()).toEqual([
      [1, 'a'],
      [2, 'c'],
    ]);
    expect(outbox.get(2)?.owner).toBe('c');
    expect([...outbox.messages()][0]?.ackedThrough).toBe(0);
  });

  it('wears out before its numbers do', () => {
    const early = new ReportOutbox<string>(2 ** 32 - 1_000_000);
    expect(early.wornOut).toBe(true);
    const { id } = early.add(body('a'), 'a');
    expect(early.wornOut).toBe(false);
    early.settle(id);
    expect(early.wornOut).toBe(true);
    const late = new ReportOutbox<string>(2 ** 32 - 2);
    late.add(body('a'), 'a');
    expect(late.wornOut).toBe(true);
    late.restart();
    expect(late.wornOut).toBe(false);
  });
});
