import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rejection, SessionHarness } from './session-harness.js';

test('every delivered job ends once: reported, released or lost; never more than the window', () => {
  const step = fc.oneof(
    fc.constant({ do: 'deliver' } as const),
    fc.record({ do: fc.constant('report' as const), at: fc.nat(5) }),
    fc.record({ do: fc.constant('answer' as const), at: fc.nat(5), fate: fc.nat(3) }),
    fc.record({ do: fc.constant('beat' as const), upTo: fc.nat(6), running: fc.boolean() }),
    fc.record({ do: fc.constant('lose' as const), at: fc.nat(5) }),
    fc.record({ do: fc.constant('tick' as const), ms: fc.integer({ min: 1, max: 8_000 }) }),
    fc.record({ do: fc.constant('window' as const), size: fc.nat(5) }),
    fc.constant({ do: 'drain' } as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const it = new SessionHarness(undefined, 4);
      const delivered: string[] = [];
      const lost = new Set<string>();
      let reports = 0;
      let window = 4;
      const open = () => [...it.session.holdings.all()].map(({ token }) => token);
      const underWay = () => {
        const answered = new Set(it.sent('reportAck').map(({ reportId }) => reportId));
        return it.of('apply').filter(({ report }) => !answered.has(report.reportId));
      };
      const answer = (at: number, fate: number) => {
        const apply = underWay()[at];
        if (!apply) return;
        const { reportId, lease } = apply.report;
        const error =
          fate === 1
            ? rejection('LOCK_LOST')
            : fate === 2
              ? rejection('JOB_HAS_PENDING_CHILDREN')
              : undefined;
        it.applied(reportId, lease?.leaseToken ?? '', error);
      };
      for (const each of steps) {
        if (each.do === 'deliver') {
          const token = it.deliver();
          if (token) {
            delivered.push(token);
            expect(it.session.holdings.size).toBeLessThanOrEqual(window);
          }
        } else if (each.do === 'report') {
          const token = open()[each.at];
          if (token) it.report(++reports, token);
        } else if (each.do === 'answer') {
          answer(each.at, each.fate);
        } else if (each.do === 'beat') {
          it.heartbeat(
            open()
              .slice(0, each.upTo)
              .map((leaseToken) => ({ leaseToken, running: each.running })),
          );
        } else if (each.do === 'lose') {
          const token = open()[each.at];
          if (token) {
            // What nobody has accepted goes back though its lock has lapsed.
            const accepted = it.session.holdings.get(token)?.accepted;
            const effects = it.note(it.session.lost(token, 'LOCK_LOST', it.clock.now()));
            if (effects.length > 0 && accepted) lost.add(token);
          }
        } else if (each.do === 'tick') {
          it.tick(each.ms);
        } else if (each.do === 'window') {
          window = each.size;
          const value = { queue: 'q', maxInFlight: window, maxInFlightBytes: undefined };
          it.receive({ $case: 'window', value });
        } else {
          it.receive({ $case: 'drain', value: { reason: '', releaseUnstarted: false } });
        }
        expect(it.windows.inFlight()).toBe(it.session.holdings.size);
      }
      it.note(it.session.end(it.clock.now(), false));
      while (underWay().length > 0) {
        const [apply] = underWay();
        if (!apply) break;
        const { reportId, lease } = apply.report;
        it.applied(reportId, lease?.leaseToken ?? '');
        // No acknowledgement leaves a stream that is over.
        it.effects.push({
          kind: 'send',
          message: { $case: 'reportAck', value: { reportId, outcome: undefined } },
        });
      }
      it.note(it.session.expire());
      expect(it.session.holdings.size).toBe(0);
      // Each lease was kept once and dropped once, and none that ended by report or loss was released.
      const kept = it.of('keep').map(({ holding }) => holding.token);
      const dropped = it.of('drop').map(({ holding }) => holding.token);
      expect(kept).toEqual(delivered);
      expect([...dropped].sort()).toEqual([...delivered].sort());
      expect(new Set(it.released).size).toBe(it.released.length);
      for (const token of it.released) expect(lost.has(token)).toBe(false);
    }),
    { numRuns: 500 },
  );
});
