import { describe, expect, test } from 'vitest';
import { rejection, SessionHarness } from './session-harness.js';

test('a lock that ran out before anybody accepted: the job goes back as one that no worker has begun', () => {
  const it = new SessionHarness();
  const token = it.deliver() as string;
  it.note(it.session.lost(token, 'LOCK_LOST', it.clock.now()));
  expect(it.of('release').flatMap(({ holdings }) => holdings)).toMatchObject([
    { token, accepted: false, unbegunRun: '1' },
  ]);
  expect(it.windows.inFlight()).toBe(0);
});

describe('the end of a stream', () => {
  test('unaccepted and buffered jobs go back, running ones are vouched for a while', () => {
    const it = new SessionHarness();
    const tokens = [it.deliver(), it.deliver(), it.deliver()] as string[];
    const [running, buffered, fresh] = tokens as [string, string, string];
    it.heartbeat([running, { leaseToken: buffered, running: false }]);
    it.note(it.session.end(it.clock.now(), false));
    expect(it.released).toEqual([buffered, fresh]);
    expect(it.session.vouches(running, it.clock.now() + 9_999)).toBe(true);
    expect(it.session.vouches(running, it.clock.now() + 10_000)).toBe(false);
    it.note(it.session.expire());
    expect(it.session.holdings.size).toBe(0);
    expect(it.released).toEqual([buffered, fresh]);
  });

  test('a report in hand goes on; its answer is kept for the next stream', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.note(it.session.end(it.clock.now(), false));
    expect(it.released).toEqual([]);
    it.applied(1, token);
    expect(it.sent('reportAck')).toEqual([]);
    const next = new SessionHarness(it.memory);
    next.report(1, token);
    expect(next.sent('reportAck')).toMatchObject([
      { reportId: 1, outcome: { $case: 'result', value: { replayed: true } } },
    ]);
  });

  test('a report in hand of the former stream answers the repeated one and frees the adopted job', () => {
    const old = new SessionHarness();
    const token = old.deliver() as string;
    old.report(1, token);
    old.note(old.session.end(old.clock.now(), false));
    const next = new SessionHarness(old.memory);
    const lease = { queue: 'q', queueKey: 'q', jobId: token, token, lockMs: 30_000 };
    next.note(next.session.adopt(lease, next.clock.now()));
    next.report(1, token);
    expect(next.sent('reportAck')).toEqual([]);
    old.applied(1, token);
    for (const { ack } of old.of('answered')) next.note(next.session.answeredElsewhere(ack));
    expect(next.sent('reportAck')).toHaveLength(1);
    expect(next.session.holdings.size).toBe(0);
  });

  test('drain: nothing more is taken, reports are answered, and the end waits for the other side', () => {
    const it = new SessionHarness();
    const [running, buffered] = [it.deliver(), it.deliver()] as string[];
    it.heartbeat([running as string, { leaseToken: buffered as string, running: false }]);
    it.receive({ $case: 'drain', value: { reason: '', releaseUnstarted: true } });
    expect(it.released).toEqual([buffered]);
    expect(it.deliver()).toBeUndefined();
    it.report(1, running as string);
    expect(it.of('apply')[0]?.refill).toBe(false);
    it.note(it.session.inputEnded());
    expect(it.of('end')).toEqual([]);
    it.applied(1, running as string);
    expect(it.of('end')).toEqual([{ kind: 'end' }]);
  });

  test('a side closed without a drain, and a second open, are violations', () => {
    const it = new SessionHarness();
    it.note(it.session.inputEnded());
    expect(it.of('end')[0]?.error?.reason).toBe('PROTOCOL_VIOLATION');
    const other = new SessionHarness();
    other.receive({ $case: 'open', value: {} as never });
    expect(other.of('end')[0]?.error?.reason).toBe('PROTOCOL_VIOLATION');
  });

  test('a message of an unknown case is ignored', () => {
    const it = new SessionHarness();
    expect(it.receive(undefined)).toEqual([]);
  });

  test('a newer stream takes over what it names; the rest goes back', () => {
    const it = new SessionHarness();
    const [one, two] = [it.deliver(), it.deliver()] as string[];
    it.heartbeat([one as string, two as string]);
    it.note(it.session.end(it.clock.now(), false));
    it.note(it.session.yieldTo(new Set([one as string])));
    expect(it.released).toEqual([two]);
    expect(it.session.holdings.size).toBe(0);
  });
});

describe('windows and keepalives', () => {
  test('a smaller window only stops deliveries; 0 stops all', () => {
    const it = new SessionHarness();
    it.deliver();
    const value = { queue: 'q', maxInFlight: 0, maxInFlightBytes: undefined };
    it.receive({ $case: 'window', value });
    expect(it.deliver()).toBeUndefined();
    expect(it.session.holdings.size).toBe(1);
    it.receive({ $case: 'window', value: { ...value, queue: 'other' } });
    expect(it.of('end')[0]?.error?.reason).toBe('PROTOCOL_VIOLATION');
  });

  test('something is sent within the interval', () => {
    const it = new SessionHarness();
    for (let beat = 0; beat < 3; beat++) {
      it.tick(10_000);
      it.heartbeat([]);
    }
    expect(it.sent('keepalive').map(({ seq }) => seq)).toEqual(
      it.sent('keepalive').map((_value, at) => at + 1),
    );
    expect(it.sent('keepalive').length).toBeGreaterThan(0);
    it.session.sent(it.clock.now());
    const before = it.sent('keepalive').length;
    it.tick(14_000);
    expect(it.sent('keepalive')).toHaveLength(before);
  });
});

describe('a report of the former stream that the next one repeats', () => {
  /** What the next stream hears of reports that it has repeated, and of the adopted job. */
  function repeated(reports: number) {
    const old = new SessionHarness();
    const token = old.deliver() as string;
    for (let id = 1; id <= reports; id++) old.report(id, token);
    old.note(old.session.end(old.clock.now(), false));
    const next = new SessionHarness(old.memory);
    const lease = { queue: 'q', queueKey: 'q', jobId: token, token, lockMs: 30_000 };
    next.note(next.session.adopt(lease, next.clock.now()));
    old.note(old.session.yieldTo(new Set([token])));
    for (let id = 1; id <= reports; id++) next.report(id, token);
    const handOn = () => {
      for (const { ack } of old.of('answered').splice(0)) {
        next.note(next.session.answeredElsewhere(ack));
      }
      old.effects.length = 0;
    };
    return { old, next, token, handOn };
  }

  test('is answered where it could not be applied for now', () => {
    const { old, next, token, handOn } = repeated(1);
    old.applied(1, token, rejection('BACKEND_UNAVAILABLE', true));
    handOn();
    expect(next.reportErrors).toEqual(['BACKEND_UNAVAILABLE']);
    next.report(1, token);
    expect(next.of('apply')).toHaveLength(1);
  });

  test('is applied after the one for which it waited, which was refused', () => {
    const { old, next, token, handOn } = repeated(2);
    expect(next.of('apply')).toEqual([]);
    old.applied(1, token, rejection('JOB_HAS_PENDING_CHILDREN'));
    expect(old.of('apply').map(({ report, refill }) => [report.reportId, refill])).toEqual([
      [1, true],
      [2, false],
    ]);
    handOn();
    old.applied(2, token);
    handOn();
    expect(next.reportErrors).toEqual(['JOB_HAS_PENDING_CHILDREN', '']);
    expect(next.session.holdings.size).toBe(0);
  });

  test('is refused where the one for which it waited ended the job', () => {
    const { old, next, token, handOn } = repeated(2);
    old.applied(1, token);
    handOn();
    expect(next.reportErrors).toEqual(['', 'LOCK_LOST']);
    expect(next.session.holdings.size).toBe(0);
  });
});
