import { EchoMQError } from '@echomq/core';
import {
  DeliveredJob,
  Disposition,
  FinishResult,
  type HeldJob,
  type JobOutcome,
  type WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { type FakeClock, fakeClock } from '@echomq/testkit';
import type { Delivery } from '../../src/dispatch/consumer.js';
import type { SessionEffect } from '../../src/sessions/effects.js';
import { ReportMemory } from '../../src/sessions/report-memory.js';
import { Session } from '../../src/sessions/session.js';
import { Windows } from '../../src/sessions/windows.js';

type Kind = SessionEffect['kind'];
type Message = NonNullable<WorkResponse['message']>;

/** A session whose effects are kept, with a clock of its own; lock 30 s. */
export class SessionHarness {
  readonly clock: FakeClock = fakeClock(1_000_000);
  readonly windows = new Windows();
  readonly effects: SessionEffect[] = [];
  readonly session: Session;
  #tokens = 0;

  constructor(
    readonly memory = new ReportMemory(),
    maxJobs = 10,
  ) {
    this.windows.subscribe('q', { maxJobs });
    this.session = new Session(
      {
        spans: {
          lockMs: 30_000,
          resumeMs: 10_000,
          heartbeatMs: 10_000,
          livenessMs: 20_000,
          acceptMs: 5_000,
          keepaliveMs: 15_000,
          maxLifetimeMs: 3_600_000,
        },
        windows: this.windows,
        memory,
        queueKey: (name) => name,
        mayWait: () => true,
        statuses: () => [],
      },
      this.clock.now(),
    );
  }

  /** Notes effects and answers them. */
  note(effects: readonly SessionEffect[] | undefined): readonly SessionEffect[] {
    this.effects.push(...(effects ?? []));
    return effects ?? [];
  }

  receive(message: WorkRequest['message']): readonly SessionEffect[] {
    return this.note(this.session.receive({ message }, this.clock.now()));
  }

  /** Delivers a job; its token, or `undefined` when the session refused it. */
  deliver(bytes = 100): string | undefined {
    const token = `t${++this.#tokens}`;
    const effects = this.session.deliver('q', delivery(token, bytes), this.clock.now());
    this.note(effects);
    return effects && token;
  }

  heartbeat(held: readonly (string | HeldJob)[], seq = 1): readonly SessionEffect[] {
    const jobs = held.map((job) =>
      typeof job === 'string' ? { leaseToken: job, running: true } : job,
    );
    const holdings = { $case: 'held', value: { jobs } } as const;
    const value = { seq, holdings, ackedThrough: 0, load: undefined };
    return this.receive({ $case: 'heartbeat', value });
  }

  report(reportId: number, token: string, ackedThrough = 0): readonly SessionEffect[] {
    return this.receive({ $case: 'report', value: reportOf(reportId, token, ackedThrough) });
  }

  /** Answers a report that is being applied. */
  applied(reportId: number, token: string, error?: EchoMQError): readonly SessionEffect[] {
    const result = FinishResult.create({ disposition: Disposition.COMPLETED, attemptsMade: 1 });
    const report = reportOf(reportId, token);
    const outcome = error ? { error } : { result };
    const effects = this.session.applied(report, outcome, this.clock.now());
    return this.note(effects);
  }

  tick(byMs: number): readonly SessionEffect[] {
    // As often as a stream ticks: a longer silence is taken for this process's own.
    let last: readonly SessionEffect[] = [];
    for (let left = byMs; left > 0; left -= 1_000) {
      this.clock.advance(Math.min(left, 1_000));
      last = this.note(this.session.tick(this.clock.now()));
    }
    return last;
  }

  of<K extends Kind>(kind: K): Extract<SessionEffect, { kind: K }>[] {
    return this.effects.filter((effect) => effect.kind === kind) as never;
  }

  /** Messages of a case that were sent. */
  sent<C extends Message['$case']>(kind: C): Extract<Message, { $case: C }>['value'][] {
    return this.of('send')
      .map(({ message }) => message)
      .filter(({ $case }) => $case === kind)
      .map(({ value }) => value as never);
  }

  /** The reasons of the answers to reports; `''` for one that was taken. */
  get reportErrors(): string[] {
    return this.sent('reportAck').map(({ outcome }) => {
      if (outcome?.$case !== 'error') return '';
      const details = Buffer.concat(outcome.value.details.map(({ value }) => value));
      return /[A-Z]+(?:_[A-Z]+)+/.exec(details.toString())?.[0] ?? outcome.value.message;
    });
  }

  /** Tokens that were released, in order. */
  get released(): string[] {
    return this.of('release').flatMap(({ holdings }) => holdings.map(({ token }) => token));
  }
}

/** A refusal with a reason of the contract. */
export function rejection(reason: string, retryable = false): EchoMQError {
  return new EchoMQError(reason, { code: 'FAILED_PRECONDITION', reason, retryable });
}

/** A report of a completed job. */
export function reportOf(reportId: number, token: string, ackedThrough = 0) {
  const outcome: JobOutcome = {
    kind: { $case: 'complete', value: { returnValue: Buffer.alloc(0) } },
  };
  const lease = { queue: 'q', jobId: token, leaseToken: token };
  return { reportId, ackedThrough, lease, outcome, progress: Buffer.alloc(0), logs: [] };
}

function delivery(token: string, bytes: number): Delivery {
  const lease = { queue: 'q', jobId: token, leaseToken: token };
  const job = DeliveredJob.create({ lease, attempt: 1 });
  return { job, jobId: token, token, bytes, lockMs: 30_000, unbegunRun: '1', takenAt: 0 };
}
