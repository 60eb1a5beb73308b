import { isDeepStrictEqual } from 'node:util';
import type { DeliveredJob, HeldJob, WorkReport } from '@echomq/proto/messages';
import { status } from '@grpc/grpc-js';
import { type JobMaker, tokenOf } from './gateway/jobs.js';
import type { RiggedGateway } from './gateway/rigged-gateway.js';
import type { RiggedStream } from './gateway/rigged-stream.js';
import { bareEnd } from './gateway/statuses.js';
import type { Entry, Kind, Transcript, ValueOf, Wanted } from './gateway/transcript.js';
import type { Spans } from './spans.js';
import { Violation } from './verdict.js';
import { type Exit, type WorkerCommand, WorkerProcess } from './worker-process.js';

/** What a case plays with: the gateway and the worker, and the words in which cases are written. */
export class Stage {
  readonly gateway: RiggedGateway;
  readonly concurrency: number;
  readonly #command: WorkerCommand;
  readonly #workers: WorkerProcess[] = [];
  readonly #died: (violation: Violation) => void;
  /** Rejects when the worker ends and no case has asked for that. */
  readonly death: Promise<never>;
  /** The worker may end now. */
  mayExit = false;

  constructor(gateway: RiggedGateway, command: WorkerCommand, concurrency: number) {
    this.gateway = gateway;
    this.concurrency = concurrency;
    this.#command = command;
    let died: (violation: Violation) => void = () => undefined;
    this.death = new Promise((_resolve, reject) => {
      died = reject;
    });
    this.death.catch(() => undefined);
    this.#died = died;
  }

  get spans(): Spans {
    return this.gateway.spans;
  }

  get transcript(): Transcript {
    return this.gateway.transcript;
  }

  get jobs(): JobMaker {
    return this.gateway.jobs;
  }

  /** The worker's process, the newest. */
  get worker(): WorkerProcess {
    const worker = this.#workers.at(-1);
    if (!worker) throw new Error('no worker was started');
    return worker;
  }

  /** Starts a worker. */
  startWorker(): void {
    const { address, queue } = this.gateway;
    const worker = new WorkerProcess(this.#command, {
      address,
      queue,
      concurrency: this.concurrency,
    });
    this.#workers.push(worker);
    void worker.exited.then(({ code, signal }) => {
      if (!this.mayExit) this.#died(new Violation(`the worker ended, with ${signal ?? code}`));
    });
  }

  /** Ends all workers. */
  async clear(): Promise<void> {
    this.mayExit = true;
    this.transcript.close();
    await Promise.all(this.#workers.map((worker) => worker.kill()));
  }

  /** The n-th stream that was asked for, from 1, once its open is here. */
  async stream(n = 1, withinMs = n === 1 ? this.spans.startMs : this.spans.reactMs * 2) {
    await this.transcript.first('open', { what: `open on stream ${n}`, stream: n }, withinMs);
    return this.#streamAt(n);
  }

  /** The next stream whose open comes after this place of the transcript. */
  async streamAfter(from: number, withinMs = this.spans.reactMs * 2): Promise<RiggedStream> {
    const { stream } = await this.transcript.first('open', { what: 'new stream', from }, withinMs);
    return this.#streamAt(stream);
  }

  /**
   * Breaks a stream and waits for the one that follows it.
   *
   * @throws Violation unless it comes within resume_ttl, in the same session, with the next epoch and all that is held
   */
  async dropped(stream: RiggedStream): Promise<RiggedStream> {
    const held = [...this.gateway.held.keys()];
    const from = this.transcript.end;
    stream.end(bareEnd(status.UNAVAILABLE));
    const next = await this.streamAfter(from, this.spans.resumeMs);
    const [before, after] = [stream.open, next.open];
    const [was, is] = [before?.worker, after?.worker];
    expectThat(is?.sessionId === was?.sessionId, 'the new stream has another session_id');
    expectThat(is?.workerId === was?.workerId, 'the new stream has another worker_id');
    const epoch = (before?.epoch ?? 0) + 1;
    expectThat(after?.epoch === epoch, `the new epoch is ${after?.epoch}, not ${epoch}`);
    const named = new Set(after?.held.map(({ leaseToken }) => leaseToken));
    const missing = held.filter((token) => !named.has(token));
    expectThat(missing.length === 0, `open.held does not name ${missing.join(', ')}`);
    return next;
  }

  /** The report of a job, on whichever stream. */
  report(job: DeliveredJob, withinMs = this.spans.reactMs): Promise<Entry<'report'>> {
    const where = about(job);
    return this.transcript.first('report', { what: `report of ${nameOf(job)}`, where }, withinMs);
  }

  /** Delivers a job and waits for the heartbeat that says that it runs. */
  async begin(stream: RiggedStream, job: DeliveredJob): Promise<DeliveredJob> {
    await stream.deliver(job);
    await this.running(job);
    return job;
  }

  /** Waits for a heartbeat that says that a job runs. */
  running(job: DeliveredJob, withinMs = this.spans.reactMs): Promise<Entry<'heartbeat'>> {
    const what = `heartbeat that names ${nameOf(job)} as running`;
    const where = ({ holdings }: ValueOf<'heartbeat'>) =>
      holdings?.$case === 'held' && holdings.value.jobs.some(isRunning(job));
    return this.transcript.first('heartbeat', { what, where }, withinMs);
  }

  /** Delivers a job that is done at once, and waits for the right result. */
  async works(stream: RiggedStream): Promise<void> {
    const job = this.jobs.echo();
    await stream.deliver(job);
    const { value } = await this.report(job, this.spans.reactMs * 2);
    expectResult(value, JSON.parse(job.data.toString()), job);
  }

  /**
   * Delivers jobs and waits for their reports; whether all ran at once: each was heard of before the first had ended.
   * In the order of what happens, not in time: a busy machine is no fault of the worker.
   */
  async runAtOnce(stream: RiggedStream, count: number, ms: number): Promise<boolean> {
    const jobs = Array.from({ length: count }, () => this.jobs.slow(ms));
    await stream.deliver(...jobs);
    const reports: Entry<'report'>[] = [];
    for (const job of jobs) reports.push(await this.report(job, ms * count + this.spans.reactMs));
    const firstEnd = Math.min(...reports.map(({ index }) => index));
    return jobs.every((job) => {
      const told = this.transcript.all('progress', { where: about(job) })[0];
      const called = this.transcript.all('call', {
        where: ({ token }) => token === tokenOf(job),
      })[0];
      return Math.min(told?.index ?? Infinity, called?.index ?? Infinity) < firstEnd;
    });
  }

  /**
   * Nothing of a job is heard any more: no report from this place of the transcript on, and after a heartbeat's time no
   * progress and no heartbeat that names it.
   */
  async silentAbout(job: DeliveredJob, from: number): Promise<void> {
    const { heartbeatMs, watchMs } = this.spans;
    const of = (what: string) => `${what} ${nameOf(job)}, whose lease is over`;
    const never = <K extends Kind>(kind: K, wanted: Wanted<K>) =>
      this.transcript.never(kind, wanted, watchMs);
    await this.transcript.pause(heartbeatMs);
    const later = this.transcript.end;
    await Promise.all([
      never('report', { what: of('a report of'), where: about(job), from }),
      never('progress', { what: of('progress of'), where: about(job), from: later }),
      never('heartbeat', { what: of('a heartbeat names'), where: names(job), from: later }),
    ]);
  }

  /** How the worker ended. @throws Violation when it does not end in time */
  async exit(withinMs: number): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const violation = new Violation(`the worker had not ended after ${withinMs / 1_000} s`);
      timer = setTimeout(() => reject(violation), withinMs);
    });
    try {
      return await Promise.race([this.worker.exited, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #streamAt(number: number): RiggedStream {
    const stream = this.gateway.streams[number - 1];
    if (!stream) throw new Error(`no stream ${number}`);
    return stream;
  }
}

/** Whether a message is about this delivery. */
export function about(job: DeliveredJob) {
  return ({ lease }: { readonly lease?: { readonly leaseToken: string } | undefined }) =>
    lease?.leaseToken === tokenOf(job);
}

/** A job for people. */
export function nameOf(job: DeliveredJob): string {
  return `${job.name} "${job.lease?.jobId}"`;
}

/** @throws Violation unless the report completes the job with this result */
export function expectResult(report: WorkReport, result: unknown, job: DeliveredJob): void {
  const { kind } = report.outcome ?? {};
  if (kind?.$case !== 'complete') {
    throw new Violation(`${nameOf(job)} was reported as ${kind?.$case ?? 'nothing'}, not complete`);
  }
  const text = kind.value.returnValue.toString();
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Violation(`the result of ${nameOf(job)} is no JSON: ${text.slice(0, 100)}`);
  }
  if (!isDeepStrictEqual(found, result)) {
    const wanted = JSON.stringify(result).slice(0, 200);
    throw new Violation(`the result of ${nameOf(job)} is ${text.slice(0, 200)}, not ${wanted}`);
  }
}

/** @throws Violation unless it holds */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Violation(otherwise);
}

function names(job: DeliveredJob) {
  return ({ holdings }: ValueOf<'heartbeat'>) =>
    holdings?.$case === 'held' &&
    holdings.value.jobs.some(({ leaseToken }) => leaseToken === tokenOf(job));
}

function isRunning(job: DeliveredJob) {
  return ({ leaseToken, running }: HeldJob) => running && leaseToken === tokenOf(job);
}
