import { expect, test } from 'vitest';
import { reportOf, SessionHarness } from './session-harness.js';

const beat = (tokens: readonly string[], ackedThrough = 0) => ({
  seq: 7,
  holdings: {
    $case: 'more' as const,
    value: { jobs: tokens.map((leaseToken) => ({ leaseToken, running: true })) },
  },
  ackedThrough,
  load: { running: 1, capacity: 4 },
});

test('reports are taken before the heartbeat that comes with them', () => {
  const harness = new SessionHarness();
  const [a = '', b = ''] = [harness.deliver(), harness.deliver()];
  const reports = [reportOf(1, a)];
  const effects = harness.receive({ $case: 'reports', value: { reports, heartbeat: beat([b]) } });
  const apply = effects.findIndex(({ kind }) => kind === 'apply');
  const answer = effects.findIndex(({ kind }) => kind === 'send');
  expect(apply).toBe(0);
  expect(answer).toBeGreaterThan(apply);
  expect(harness.sent('heartbeatAck')).toEqual([{ seq: 7, leases: [] }]);
  expect(harness.session.reporting).toBe(true);
  expect(harness.session.holdings.get(b)).toMatchObject({ accepted: true, running: true });
  expect(harness.session.standing(harness.clock.now())?.load).toEqual({ running: 1, capacity: 4 });
  harness.applied(1, a);
  expect(harness.session.reporting).toBe(false);
});

test('a heartbeat may come without reports in their message', () => {
  const harness = new SessionHarness();
  const token = harness.deliver() ?? '';
  harness.receive({ $case: 'reports', value: { reports: [], heartbeat: beat([token]) } });
  expect(harness.session.holdings.get(token)?.accepted).toBe(true);
});

test('with too many reports the heartbeat is refused too', () => {
  const harness = new SessionHarness();
  const token = harness.deliver() ?? '';
  const reports = Array.from({ length: 1_001 }, (_, at) => reportOf(at + 1, 'x'));
  const effects = harness.receive({
    $case: 'reports',
    value: { reports, heartbeat: beat([token]) },
  });
  expect(effects.map(({ kind }) => kind)).toEqual(['end']);
  expect(harness.session.holdings.get(token)?.accepted).toBe(false);
});

test('a heartbeat that names far too many ends the stream also among reports', () => {
  const harness = new SessionHarness();
  const token = harness.deliver() ?? '';
  const many = Array.from({ length: 10_002 }, (_, at) => `s${at}`);
  const reports = [reportOf(1, token)];
  const effects = harness.receive({ $case: 'reports', value: { reports, heartbeat: beat(many) } });
  expect(effects.map(({ kind }) => kind)).toEqual(['apply', 'end']);
});
