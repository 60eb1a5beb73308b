import { createHash } from 'node:crypto';
import {
  type DeliveredJob,
  type HeldJob,
  JobOutcome,
  type WorkHeartbeat,
  type WorkOpen,
  type WorkReport,
  type WorkRequest,
  type WorkWindow,
} from '@echomq/proto/messages';

interface StreamState {
  open: WorkOpen | undefined;
  /** The last heartbeat's number. */
  seq: number;
  /** The last set that a heartbeat said in full. */
  held: readonly HeldJob[] | undefined;
}

interface ReportState {
  readonly id: number;
  readonly token: string;
  readonly outcome: string;
  answer: 'none' | 'stored' | 'refused';
}

/** What holds in every case, whatever it is about. Each breach is kept in words. */
export class StandingRules {
  readonly breaches: string[] = [];
  readonly #queue: string;
  readonly #delivered = new Map<string, DeliveredJob>();
  readonly #streams = new Map<number, StreamState>();
  #session = '';
  #reports = new Map<number, ReportState>();
  #highest = 0;

  constructor(queue: string) {
    this.#queue = queue;
  }

  /** Reports of the session so far that were answered for good. */
  get answered(): number {
    return [...this.#reports.values()].filter(({ answer }) => answer !== 'none').length;
  }

  /** A job was sent to the worker. */
  delivered(job: DeliveredJob): void {
    this.#delivered.set(job.lease?.leaseToken ?? '', job);
  }

  /** A report was answered for good. */
  acknowledged(reportId: number, answer: 'stored' | 'refused'): void {
    const report = this.#reports.get(reportId);
    if (report) report.answer = answer;
  }

  /** The worker has sent this. */
  received(stream: number, { message }: WorkRequest): void {
    const state = this.#stream(stream);
    if (!state.open && message?.$case !== 'open') {
      this.#breach(`stream ${stream} began with ${message?.$case ?? 'nothing known'}, not open`);
    }
    if (message?.$case === 'open') this.#open(stream, state, message.value);
    else if (message?.$case === 'heartbeat') this.#heartbeat(state, message.value);
    else if (message?.$case === 'report') this.#report(message.value);
    else if (message?.$case === 'window') this.#window(message.value);
    else if (message?.$case === 'progress') this.#lease('progress', message.value.lease);
    else if (message?.$case === 'logs') this.#lease('log lines', message.value.lease);
    else if (message === undefined) this.#breach('a message without a case');
  }

  #window({ queue }: WorkWindow): void {
    if (queue !== this.#queue) this.#breach(`a window for "${queue}", which is not subscribed`);
  }

  #open(stream: number, state: StreamState, open: WorkOpen): void {
    if (state.open) this.#breach(`stream ${stream} was opened twice`);
    state.open = open;
    const session = open.worker?.sessionId ?? '';
    if (session !== this.#session) {
      this.#session = session;
      this.#reports = new Map();
      this.#highest = 0;
    }
    for (const lease of open.held) this.#lease('open.held', lease);
    this.#acknowledges('open', open.ackedThrough);
  }

  #heartbeat(state: StreamState, { seq, holdings, ackedThrough, load }: WorkHeartbeat): void {
    if (seq <= state.seq) this.#breach(`heartbeat ${seq} came after heartbeat ${state.seq}`);
    state.seq = seq;
    this.#acknowledges('a heartbeat', ackedThrough);
    if (load && load.capacity > 0 && load.running > load.capacity) {
      this.#breach(`${load.running} handlers run where ${load.capacity} may`);
    }
    if (holdings?.$case === 'held') {
      state.held = holdings.value.jobs;
      for (const { leaseToken } of state.held) {
        if (!this.#delivered.has(leaseToken)) {
          this.#breach(`a heartbeat names "${leaseToken}", which was never delivered`);
        }
      }
    } else if (holdings?.$case === 'unchanged') {
      const { digest, count } = holdings.value;
      if (!state.held) this.#breach('a digest before any held set on this stream');
      else if (count !== state.held.length || !digestOf(state.held).equals(digest)) {
        this.#breach('a digest that is not that of the last held set');
      }
    }
  }

  #report({ reportId, ackedThrough, lease, outcome }: WorkReport): void {
    this.#lease('a report', lease);
    this.#acknowledges('a report', ackedThrough);
    const token = lease?.leaseToken ?? '';
    const text = outcome ? Buffer.from(JobOutcome.encode(outcome).finish()).toString('hex') : '';
    if (!outcome?.kind) this.#breach(`report ${reportId} has no outcome`);
    const known = this.#reports.get(reportId);
    if (known && (known.token !== token || known.outcome !== text)) {
      this.#breach(`report ${reportId} came again with another content`);
    }
    if (known) return;
    if (reportId <= this.#highest) {
      this.#breach(`report ${reportId} came after report ${this.#highest}`);
    }
    this.#highest = Math.max(this.#highest, reportId);
    const before = [...this.#reports.values()].find(
      (other) => other.token === token && other.answer !== 'refused',
    );
    if (before)
      this.#breach(`job "${lease?.jobId}" was reported twice, as ${before.id} and ${reportId}`);
    this.#reports.set(reportId, { id: reportId, token, outcome: text, answer: 'none' });
  }

  #lease(where: string, lease: WorkReport['lease']): void {
    const token = lease?.leaseToken ?? '';
    const delivered = this.#delivered.get(token)?.lease;
    if (!delivered) {
      this.#breach(`${where} names "${token}", which was never delivered`);
    } else if (delivered.jobId !== lease?.jobId || delivered.queue !== lease.queue) {
      this.#breach(`${where} names a lease of another job than was delivered with its token`);
    }
  }

  #acknowledges(where: string, through: number): void {
    if (through > this.#highest) {
      this.#breach(`${where} acknowledges ${through}, which was never sent`);
    }
    for (const { id, answer } of this.#reports.values()) {
      if (id > through || answer !== 'none') continue;
      this.#breach(`${where} acknowledges ${through}, but ${id} was not answered`);
    }
  }

  #stream(stream: number): StreamState {
    const known = this.#streams.get(stream);
    if (known) return known;
    const state: StreamState = { open: undefined, seq: 0, held: undefined };
    this.#streams.set(stream, state);
    return state;
  }

  #breach(text: string): void {
    if (!this.breaches.includes(text)) this.breaches.push(text);
  }
}

/** SHA-256 over `TOKEN 0|1\n` per job, sorted by token, as worker_stream.proto has it. */
export function digestOf(jobs: readonly HeldJob[]): Buffer {
  const hash = createHash('sha256');
  const lines = jobs.map(({ leaseToken, running }) => `${leaseToken} ${running ? 1 : 0}\n`);
  for (const line of lines.sort()) hash.update(line);
  return hash.digest();
}
