import { JobSignalKind } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { SessionHarness } from './session-harness.js';

describe('evidence', () => {
  test('a fresh delivery is vouched for until it must be accepted', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    const now = it.clock.now();
    expect(it.session.vouches(token, now + 4_999)).toBe(true);
    expect(it.session.vouches(token, now + 5_000)).toBe(false);
  });

  test('a named one while the worker is heard', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.heartbeat([token]);
    const now = it.clock.now();
    expect(it.session.vouches(token, now + 20_000)).toBe(true);
    expect(it.session.vouches(token, now + 20_001)).toBe(false);
  });

  test('none beyond its longest life; the worker is told once', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    for (let hour = 0; hour < 3_600; hour += 10) {
      it.heartbeat([token]);
      it.tick(10_000);
    }
    it.heartbeat([token]);
    expect(it.session.vouches(token, it.clock.now())).toBe(false);
    expect(it.sent('jobSignal').map(({ kind }) => kind)).toEqual([JobSignalKind.LOCK_MAX_LIFETIME]);
  });

  test('a silent worker is left; what it ran is vouched for no more', () => {
    const it = new SessionHarness();
    const token = it.deliver() as string;
    it.heartbeat([token]);
    it.tick(21_000);
    expect(it.of('end')[0]?.error?.reason).toBe('WORKER_UNRESPONSIVE');
    it.note(it.session.end(it.clock.now(), true));
    expect(it.released).toEqual([]);
    expect(it.session.vouches(token, it.clock.now())).toBe(false);
  });

  test('a process that slept itself hears its workers before it leaves them', () => {
    const it = new SessionHarness();
    it.clock.advance(60_000);
    expect(it.session.tick(it.clock.now())).toEqual([]);
    it.heartbeat([]);
    it.tick(1_000);
    expect(it.of('end')).toEqual([]);
  });

  test('a lost lease is told and its slot free; a removed job is told as such', () => {
    const it = new SessionHarness();
    const [one, two] = [it.deliver() as string, it.deliver() as string];
    it.note(it.session.lost(one, 'LOCK_LOST', it.clock.now()));
    it.note(it.session.lost(two, 'JOB_NOT_FOUND', it.clock.now()));
    expect(it.sent('jobSignal').map(({ lease, kind }) => [lease?.leaseToken, kind])).toEqual([
      [one, JobSignalKind.LOCK_LOST],
      [two, JobSignalKind.REMOVED],
    ]);
    expect(it.windows.inFlight()).toBe(0);
  });
});
