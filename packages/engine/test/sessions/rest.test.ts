import { Disposition, FinishResult } from '@echomq/proto/messages';
import { expect, test } from 'vitest';
import { rejection, reportOf, SessionHarness } from './session-harness.js';

const SLOTS = 2;

/** A worker with two slots that has run eight short handlers, far away. */
function fastWorker() {
  const it = new SessionHarness();
  it.windows.limitTo(SLOTS);
  let reportId = 0;
  /** Runs a job in no time, to its report. */
  const run = () => {
    const token = it.deliver() as string;
    it.clock.advance(50);
    it.heartbeat([token]);
    it.report(++reportId, token);
    return { reportId, token };
  };
  for (let job = 0; job < 8; job++) {
    const { reportId, token } = run();
    it.applied(reportId, token);
  }
  const spare = () => it.session.spare('q', it.clock.now());
  expect(spare()).toBe(SLOTS);
  return { it, run, spare };
}

test.each([
  // A handler that let nobody else work until it reported: the keeper had no chance to see the lock run out.
  ['LOCK_LOST', 0],
  ['LOCK_NOT_OWNED', 0],
  ['JOB_NOT_FOUND', SLOTS],
])('a worker whose report is refused with %s may hold %i jobs beyond its slots', (reason, may) => {
  const { it, run, spare } = fastWorker();
  const { reportId, token } = run();
  it.applied(reportId, token, rejection(reason));
  expect(spare()).toBe(may);
});

test('a lease that was lost while its report was under way counts once that is refused', () => {
  const { it, run, spare } = fastWorker();
  const { reportId, token } = run();
  expect(it.session.lost(token, 'LOCK_LOST', it.clock.now())).toEqual([]);
  it.applied(reportId, token, rejection('LOCK_LOST'));
  expect(spare()).toBe(0);
});

test('where the next job is taken for a free slot only, none is asked for beyond the slots', () => {
  const { it, run, spare } = fastWorker();
  const { reportId, token } = run();
  const result = FinishResult.create({ disposition: Disposition.COMPLETED, attemptsMade: 1 });
  const applied = { result, unbuffered: true };
  it.note(it.session.applied(reportOf(reportId, token), applied, it.clock.now()));
  expect(spare()).toBe(0);
});
