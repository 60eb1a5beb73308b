import type { WorkReport, WorkReportAck } from '@echomq/proto/messages';
import { factsOf } from './errors.js';
import type { Fault } from './faults.js';
import { failure, NONE, type Outcome, RELEASE, type Run } from './run.js';

const GONE = new Set(['LOCK_LOST', 'LOCK_NOT_OWNED', 'JOB_NOT_FOUND']);

/** What the box asks of the worker, and tells it. */
export interface ReportBoxEvents {
  readonly send: (report: WorkReport) => void;
  /** The job is out of the worker's hands. */
  readonly onDone: (run: Run) => void;
}

/** The reports of a session that have no answer. */
export class ReportBox {
  readonly #has: (fault: Fault) => boolean;
  readonly #events: ReportBoxEvents;
  #reports = new Map<number, { readonly report: WorkReport; readonly run: Run }>();
  #next = 1;

  constructor(has: (fault: Fault) => boolean, events: ReportBoxEvents) {
    this.#has = has;
    this.#events = events;
  }

  /** All reports up to this one are answered. */
  get ackedThrough(): number {
    if (this.#has('never-acknowledges') || this.#has('report-ids-fall')) return 0;
    if (this.#has('acknowledges-ahead')) return this.#next - 1;
    return Math.min(...this.#reports.keys(), this.#next) - 1;
  }

  /** Reports how a run ended. */
  report(run: Run, outcome: Outcome): void {
    run.state = 'reported';
    const report = this.#enter(run, outcome);
    this.#events.send(report);
    if (this.#has('reports-twice')) this.#events.send(this.#enter(run, outcome));
    if (this.#has('repeats-early')) {
      setTimeout(() => this.#reports.has(report.reportId) && this.#events.send(report), 1_000);
    }
    if (this.#has('gives-up-late-answers')) {
      const lateMs = 2_000;
      setTimeout(() => {
        if (!this.#reports.has(report.reportId)) return;
        this.#events.send(this.#enter(run, failure('no answer', this.#has)));
      }, lateMs);
    }
  }

  /** A new stream is up. */
  resend(): void {
    if (this.#has('forgets-reports')) {
      for (const { run } of this.#reports.values()) this.#events.onDone(run);
      this.#reports.clear();
    }
    for (const { report } of this.#reports.values()) this.#events.send(report);
  }

  /** A new session: numbers begin anew. */
  restart(): void {
    const old = [...this.#reports.values()];
    this.#reports = new Map();
    this.#next = 1;
    for (const { report, run } of old) this.#enter(run, report.outcome ?? RELEASE);
  }

  /** A report was answered. */
  answered({ reportId, outcome }: WorkReportAck): void {
    const entry = this.#reports.get(reportId);
    if (!entry || !outcome) return;
    const { report, run } = entry;
    const { reason, retryAfterMs } =
      outcome.$case === 'error' ? factsOf(outcome.value) : { reason: '', retryAfterMs: undefined };
    const drops = this.#has('drops-refused-reports');
    if (retryAfterMs !== undefined && !drops) {
      setTimeout(() => this.#events.send(this.#again(run, report)), retryAfterMs);
      return;
    }
    this.#reports.delete(reportId);
    const gone = GONE.has(reason) && !this.#has('fails-refused-reports');
    if (reason === '' || gone || drops) this.#events.onDone(run);
    else this.#events.send(this.#enter(run, failure(`refused: ${reason}`, this.#has)));
  }

  #again(run: Run, report: WorkReport): WorkReport {
    if (!this.#has('new-id-for-a-retry')) return report;
    this.#reports.delete(report.reportId);
    return this.#enter(run, report.outcome ?? RELEASE);
  }

  #enter(run: Run, outcome: Outcome): WorkReport {
    const reportId = this.#has('report-ids-fall') ? 1_000 - this.#next : this.#next;
    const { ackedThrough } = this;
    this.#next += 1;
    const { lease } = run.job;
    const report = { reportId, ackedThrough, lease, outcome, progress: NONE, logs: [] };
    this.#reports.set(reportId, { report, run });
    return report;
  }
}
