import { JobSignalKind, LeaseStatus, type WorkHeartbeat } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/sessions/held-set.js';
import { rejection, SessionHarness } from './session-harness.js';

describe('two-phase delivery', () => {
  test('what no heartbeat accepts in time goes back, oldest first, and its slot is free', () => {
    const it = new SessionHarness();
    const [first, second] = [it.deliver(), it.deliver()];
    it.tick(4_000);
    expect(it.released).toEqual([]);
    it.tick(1_000);
    expect(it.released).toEqual([first, second]);
    expect(it.windows.inFlight()).toBe(0);
    expect(it.of('drop').map(({ holding }) => holding.token)).toEqual([first, second]);
    expect(it.of('demand').length).toBeGreaterThan(0);
  });

  test('a heartbeat that names it accepts it', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.heartbeat([token], 7);
    it.tick(9_000);
    expect(it.released).toEqual([]);
    expect(it.sent('heartbeatAck')).toEqual([{ seq: 7, leases: [] }]);
  });

  test('a report accepts it', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.tick(9_000);
    expect(it.released).toEqual([]);
  });

  test('an accepted job that a later heartbeat does not name goes back', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.heartbeat([token]);
    it.clock.advance(1_000);
    it.heartbeat([]);
    expect(it.released).toEqual([]);
    it.clock.advance(5_000);
    it.heartbeat([]);
    expect(it.released).toEqual([token]);
  });

  test('one whose end could not be stored does not: its lock runs out, and its slot is free', () => {
    const it = new SessionHarness(undefined, 1);
    const token = it.deliver() as string;
    it.report(1, token);
    it.applied(1, token, rejection('SCRIPT_ERROR'));
    it.clock.advance(5_000);
    it.heartbeat([]);
    expect(it.released).toEqual([]);
    expect(it.of('drop').map(({ holding }) => holding.token)).toEqual([token]);
    expect(it.deliver()).toBeDefined();
  });

  test('a job that is being reported is not released by a heartbeat without it', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.clock.advance(6_000);
    it.heartbeat([]);
    expect(it.released).toEqual([]);
  });

  test('a lease that the session does not know is answered with LOCK_LOST', () => {
    const it = new SessionHarness();
    it.heartbeat(['stranger'], 3);
    const lease = { queue: '', jobId: '', leaseToken: 'stranger' };
    expect(it.sent('jobSignal')).toEqual([{ lease, kind: JobSignalKind.LOCK_LOST, detail: '' }]);
    expect(it.sent('heartbeatAck')).toEqual([
      {
        seq: 3,
        leases: [{ leaseToken: 'stranger', status: LeaseStatus.LOST, lockTtl: undefined }],
      },
    ]);
  });

  test('the digest of the last set stands for it, another for nothing', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.heartbeat([token]);
    const unchanged = (digest: Buffer, count: number) =>
      it.receive({
        $case: 'heartbeat',
        value: {
          seq: 2,
          holdings: { $case: 'unchanged', value: { digest, count } },
          ackedThrough: 0,
          load: undefined,
        },
      });
    const other = it.deliver() as string;
    it.clock.advance(6_000);
    unchanged(digestOf([]), 0);
    expect(it.released).toEqual([]);
    unchanged(digestOf([{ leaseToken: token, running: true }]), 1);
    expect(it.released).toEqual([other]);
    expect(it.session.vouches(token, it.clock.now())).toBe(true);
  });

  test('one that adds accepts what it names, and lets nothing go', () => {
    const it = new SessionHarness();
    const beat = (holdings: WorkHeartbeat['holdings']) =>
      it.receive({
        $case: 'heartbeat',
        value: { seq: 2, holdings, ackedThrough: 0, load: undefined },
      });
    const whole = it.deliver() as string;
    it.heartbeat([whole]);
    const added = it.deliver() as string;
    const unnamed = it.deliver() as string;
    beat({ $case: 'more', value: { jobs: [{ leaseToken: added, running: true }] } });
    it.clock.advance(6_000);
    beat({ $case: 'more', value: { jobs: [] } });
    expect(it.released).toEqual([]);
    expect(it.session.vouches(whole, it.clock.now())).toBe(true);
    expect(it.session.vouches(added, it.clock.now())).toBe(true);
    expect(it.session.vouches(unnamed, it.clock.now())).toBe(false);
    // It is not the last set: a digest of that stands for nothing now.
    const digest = digestOf([{ leaseToken: whole, running: true }]);
    beat({ $case: 'unchanged', value: { digest, count: 1 } });
    expect(it.released).toEqual([]);
    it.heartbeat([whole, added]);
    expect(it.released).toEqual([unnamed]);
    expect(it.session.vouches(added, it.clock.now())).toBe(true);
  });

  test('one that adds a stranger hears that it is lost', () => {
    const it = new SessionHarness();
    const jobs = [{ leaseToken: 'stranger', running: true }];
    const holdings = { $case: 'more', value: { jobs } } as const;
    it.receive({
      $case: 'heartbeat',
      value: { seq: 1, holdings, ackedThrough: 0, load: undefined },
    });
    expect(it.sent('jobSignal')).toMatchObject([{ kind: JobSignalKind.LOCK_LOST }]);
  });
});

describe('reports', () => {
  test('the acknowledgement comes with the answer, and the slot is free then', () => {
    const it = new SessionHarness(undefined, 1);
    const token = it.deliver() as string;
    it.report(1, token);
    const [apply] = it.of('apply');
    expect(apply?.refill).toBe(true);
    expect(it.sent('reportAck')).toEqual([]);
    it.applied(1, token);
    expect(it.sent('reportAck')).toMatchObject([{ reportId: 1, outcome: { $case: 'result' } }]);
    expect(it.windows.want('q')).toBe(1);
  });

  test('a repeated report is applied once and answered again, until it is acknowledged', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.report(1, token);
    it.applied(1, token);
    it.report(1, token);
    expect(it.of('apply')).toHaveLength(1);
    expect(it.sent('reportAck')).toMatchObject([
      { reportId: 1, outcome: { $case: 'result', value: { replayed: false } } },
      { reportId: 1, outcome: { $case: 'result', value: { replayed: true } } },
    ]);
    expect(it.memory.size).toBe(1);
    it.report(2, 'unknown', 1);
    expect(it.memory.size).toBe(0);
    it.report(1, token);
    expect(it.sent('reportAck').at(-1)?.outcome).toMatchObject({ $case: 'error' });
  });

  test('a report on a lease that is not held is refused; the stream goes on', () => {
    const it = new SessionHarness();
    it.report(1, 'nobody');
    const [{ outcome } = { outcome: undefined }] = it.sent('reportAck');
    expect(outcome).toMatchObject({ $case: 'error', value: { code: 9 } });
    expect(it.of('end')).toEqual([]);
  });

  test('reports on one job are applied in order, on several at once', () => {
    const it = new SessionHarness();
    const [one, two] = [it.deliver() as string, it.deliver() as string];
    it.report(1, one);
    it.report(2, one);
    it.report(3, two);
    expect(it.of('apply').map(({ report }) => report.reportId)).toEqual([1, 3]);
    it.applied(1, one, rejection('JOB_HAS_PENDING_CHILDREN'));
    expect(it.of('apply').map(({ report }) => report.reportId)).toEqual([1, 3, 2]);
    it.applied(2, one);
    expect(it.session.holdings.get(one)).toBeUndefined();
  });

  test('what waits behind the end of a job meets no lease', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.report(2, token);
    it.applied(1, token);
    expect(it.sent('reportAck').map(({ reportId, outcome }) => [reportId, outcome?.$case])).toEqual(
      [
        [1, 'result'],
        [2, 'error'],
      ],
    );
  });

  test.each(['LOCK_LOST', 'LOCK_NOT_OWNED', 'JOB_NOT_FOUND', 'JOB_NOT_IN_STATE'])(
    'after %s the job is held no longer',
    (reason) => {
      const it = new SessionHarness();
      const token = it.deliver() as string;
      it.report(1, token);
      it.applied(1, token, rejection(reason));
      expect(it.session.holdings.size).toBe(0);
      expect(it.windows.inFlight()).toBe(0);
    },
  );

  test('what was not applied for now may be sent again under the same id', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.applied(1, token, rejection('BACKEND_UNAVAILABLE', true));
    expect(it.session.holdings.size).toBe(1);
    it.report(1, token);
    expect(it.of('apply')).toHaveLength(2);
  });

  test('a heartbeat may still name a job whose end the worker has not seen', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.applied(1, token);
    it.heartbeat([token]);
    expect(it.sent('jobSignal')).toEqual([]);
  });
});

describe('a report_id that was used for another report', () => {
  const reused = 'REQUEST_ID_REUSED';

  test('is refused while the first is applied, once it is answered, and on the next stream', () => {
    const it = new SessionHarness();
    const [first, second] = [it.deliver() as string, it.deliver() as string];
    it.report(1, first);
    it.report(1, second);
    expect(it.reportErrors).toEqual([reused]);
    it.applied(1, first);
    it.report(1, second);
    const next = new SessionHarness(it.memory);
    next.report(1, second);
    expect([...it.reportErrors, ...next.reportErrors]).toEqual([reused, '', reused, reused]);
    // The one that it stands for is answered again, and only it was applied.
    next.report(1, first);
    expect(next.sent('reportAck')[1]?.outcome).toMatchObject({ value: { replayed: true } });
    expect([...it.of('apply'), ...next.of('apply')]).toHaveLength(1);
  });

  test('at another server: the refusal does not stand for the number', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.report(1, token);
    it.applied(1, token, rejection(reused));
    expect(it.memory.size).toBe(0);
  });
});
