import {
  type DeliveredJob,
  type Disposition,
  type ErrorReasonName,
  type JobSignalKind,
  type LeaseRenewal,
  LeaseStatus,
  msToDuration,
  type WorkerDirectiveAction,
  type WorkHeartbeat,
  type WorkOpen,
  type WorkReport,
  type WorkReportAck,
  WorkReportAcks,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js';
import { Violation } from '../verdict.js';
import { dispositionOf } from './dispositions.js';
import { tokenOf } from './jobs.js';
import { PlainForm } from './plain-form.js';
import type { RiggedGateway } from './rigged-gateway.js';
import { serverInfo } from './server-info.js';
import { endOf, statusOf } from './statuses.js';
import { brief, seconds } from './transcript.js';
import { encode } from './wire.js';

export type WorkCall = ServerDuplexStream<Buffer, Buffer>;

/** On a cancel the end of the input comes a moment before the cancellation. */
const CANCEL_MS = 20;

/** The gateway's end of one Work stream, in the hands of a case. */
export class RiggedStream {
  /** Counts from 1. */
  readonly number: number;
  /** The worker's end of the connection, `ip:port`. */
  readonly peer: string;
  /** The first message, once it is here. */
  open: WorkOpen | undefined;
  /** Answers nothing and says nothing: the connection lives, the stream does not. */
  silent = false;
  /** Whether heartbeats get their answers. */
  answersHeartbeats = true;
  /** What the next heartbeat's answer says of leases. */
  renewals: LeaseRenewal[] = [];
  readonly #gateway: RiggedGateway;
  readonly #call: WorkCall;
  readonly #keepalive: NodeJS.Timeout;
  readonly #plain: PlainForm;
  #windowJobs = 0;
  #drained = false;
  #halfClosed = false;
  #over = false;
  #sentAt = performance.now();
  #keepalives = 0;

  constructor(gateway: RiggedGateway, call: WorkCall, number: number) {
    this.#gateway = gateway;
    this.#call = call;
    this.number = number;
    this.#plain = new PlainForm((leaseToken) => gateway.held.has(leaseToken));
    this.peer = call.getPeer();
    gateway.transcript.add(number, { $case: 'attempt', value: { peer: this.peer } });
    call.on('data', (bytes: Buffer) => this.#received(bytes));
    call.on('end', () => setTimeout(() => this.#inputEnded(), CANCEL_MS));
    call.on('cancelled', () => this.#gone());
    // A connection that was cut; 'cancelled' says it too.
    call.on('error', () => undefined);
    const { keepaliveMs } = gateway.spans;
    this.#keepalive = setInterval(() => this.#stayAlive(), keepaliveMs / 4);
  }

  /** Whether nothing more will be said on it. */
  get over(): boolean {
    return this.#over;
  }

  /** How many jobs the worker asks for now. */
  get window(): number {
    return this.#windowJobs;
  }

  /** Answers the open: adopts what it names, but for the leases of these jobs. */
  accept({ without = [] }: { readonly without?: readonly DeliveredJob[] } = {}): void {
    const { spans, held } = this.#gateway;
    this.#gateway.takeBack(this.open?.held ?? []);
    const refused = new Set(without.map(tokenOf));
    const renewals = (this.open?.held ?? []).map(({ leaseToken }): LeaseRenewal => {
      const adopted = held.has(leaseToken) && !refused.has(leaseToken);
      if (!adopted) held.delete(leaseToken);
      const status = adopted ? LeaseStatus.EXTENDED : LeaseStatus.LOST;
      return { leaseToken, status, lockTtl: adopted ? msToDuration(spans.lockMs) : undefined };
    });
    const goesOn = ({ status }: LeaseRenewal) => status === LeaseStatus.EXTENDED;
    this.send({
      $case: 'opened',
      value: {
        sessionId: this.open?.worker?.sessionId ?? '',
        resumeTtl: msToDuration(spans.resumeMs),
        heartbeatInterval: msToDuration(spans.heartbeatMs),
        livenessTimeout: msToDuration(spans.livenessMs),
        acceptTimeout: msToDuration(spans.acceptMs),
        keepaliveInterval: msToDuration(spans.keepaliveMs),
        serverInfo: serverInfo(this.#gateway.older),
        adopted: renewals.filter(goesOn),
        rejected: renewals.filter((renewal) => !goesOn(renewal)),
      },
    });
  }

  /**
   * Delivers jobs in one message, once the worker's window has room for all.
   *
   * @throws Violation when it does not come to have room
   */
  async deliver(...jobs: readonly DeliveredJob[]): Promise<void> {
    const { held, spans, transcript } = this.#gateway;
    const hasRoom = () => this.#windowJobs >= held.size + jobs.length;
    if (!(await transcript.until(hasRoom, spans.reactMs))) throw this.#noRoom(jobs.length);
    for (const job of jobs) {
      held.set(tokenOf(job), job);
      this.#gateway.rules.delivered(job);
    }
    const value = { jobs: [...jobs] };
    if (this.#reads('turnBatches')) this.#together({ delivery: value });
    else this.send({ $case: 'delivery', value });
  }

  /** Answers a report in good order. */
  ack({ reportId, lease, outcome }: WorkReport, disposition?: Disposition): void {
    this.#gateway.held.delete(lease?.leaseToken ?? '');
    this.#gateway.rules.acknowledged(reportId, 'stored');
    const value = {
      disposition: disposition ?? dispositionOf(outcome),
      attemptsMade: 1,
      retryIn: undefined,
      replayed: false,
    };
    this.#answerReport({ reportId, outcome: { $case: 'result', value } });
  }

  /** Refuses a report; with a time the worker is to send it again. */
  refuse({ reportId, lease }: WorkReport, reason: ErrorReasonName, retryAfterMs?: number): void {
    const ends =
      reason === 'LOCK_LOST' || reason === 'LOCK_NOT_OWNED' || reason === 'JOB_NOT_FOUND';
    if (ends) this.#gateway.held.delete(lease?.leaseToken ?? '');
    if (retryAfterMs === undefined) {
      this.#gateway.rules.acknowledged(reportId, ends ? 'stored' : 'refused');
    }
    const value = statusOf(reason, retryAfterMs);
    this.#answerReport({ reportId, outcome: { $case: 'error', value } });
  }

  /** Tells what happened to a job. `ends`: it is not held any more. */
  signal(job: DeliveredJob, kind: JobSignalKind, { ends }: { readonly ends: boolean }): void {
    if (ends) this.#gateway.held.delete(tokenOf(job));
    const value = { lease: job.lease, kind, detail: 'played' };
    this.send({ $case: 'jobSignal', value });
  }

  /** Asks something of the worker. */
  direct(action: WorkerDirectiveAction, afterMs = 0): void {
    const value = { action, after: msToDuration(afterMs), reason: 'played' };
    this.send({ $case: 'directive', value });
  }

  /** Sends a message, and after it in the same message what no version of the contract has. */
  send(message: NonNullable<WorkResponse['message']>, beyond: Buffer = Buffer.alloc(0)): void {
    const text = `${message.$case} ${brief(message.value)}`;
    this.sendBytes(Buffer.concat([encode(message), beyond]), text);
  }

  /** Sends these bytes as a message. */
  sendBytes(bytes: Buffer, text: string): void {
    if (this.#over || this.silent) return;
    this.#sentAt = performance.now();
    this.#gateway.transcript.add(this.number, { $case: 'sent', value: { text } });
    this.#call.write(bytes);
  }

  /** Ends the stream: with OK, or with a status. */
  end(status?: Partial<StatusObject>): void {
    if (this.#over) return;
    this.#leave();
    const text = status ? `end ${status.code} ${status.details}` : 'end OK';
    this.#gateway.transcript.add(this.number, { $case: 'sent', value: { text } });
    if (status) this.#call.emit('error', status);
    else this.#call.end();
  }

  /** Ends nothing, but stops its timer: the case is over. */
  forget(): void {
    this.#leave();
  }

  /** After a drain and a half-close the stream ends with OK, once all reports have their answers. */
  endIfDone(): void {
    if (!this.#halfClosed || this.#over) return;
    if (!this.#drained) this.end(endOf('PROTOCOL_VIOLATION'));
    else if (this.#gateway.unanswered(this.number) === 0) this.end();
  }

  #received(bytes: Buffer): void {
    if (this.#over) return;
    let request: WorkRequest;
    try {
      request = WorkRequest.decode(bytes);
    } catch (error) {
      this.#gateway.rules.breaches.push(`a message that cannot be decoded: ${error}`);
      return;
    }
    for (const each of this.#plain.of(request)) this.#take(each);
  }

  #take(request: WorkRequest): void {
    const { message } = request;
    if (message?.$case === 'open') {
      this.open ??= message.value;
      this.#windowJobs = windowOf(message.value);
    } else if (message?.$case === 'window') {
      this.#windowJobs = message.value.maxInFlight;
    } else if (message?.$case === 'drain') {
      this.#drained = true;
      this.#windowJobs = 0;
    }
    this.#gateway.rules.received(this.number, request);
    if (message) this.#gateway.transcript.add(this.number, message);
    this.#answer(request);
  }

  #reads(feature: string): boolean {
    return !this.#gateway.older && this.open?.features.includes(feature) === true;
  }

  #together(parts: Partial<WorkReportAcks>): void {
    this.send({ $case: 'reportAcks', value: WorkReportAcks.create(parts) });
  }

  #answerReport(ack: WorkReportAck): void {
    if (this.#reads('reportBatches')) this.#together({ acks: [ack] });
    else this.send({ $case: 'reportAck', value: ack });
  }

  #answerHeartbeat({ seq }: WorkHeartbeat): void {
    const value = { seq, leases: this.renewals.splice(0) };
    if (this.#reads('turnBatches')) this.#together({ heartbeatAcks: [value] });
    else this.send({ $case: 'heartbeatAck', value });
  }

  #answer({ message }: WorkRequest): void {
    if (message?.$case === 'open') {
      this.#gateway.onOpen(this);
    } else if (message?.$case === 'report') {
      this.#gateway.onReport(this, message.value);
      this.endIfDone();
    } else if (message?.$case === 'heartbeat' && this.answersHeartbeats) {
      this.#answerHeartbeat(message.value);
    }
  }

  #stayAlive(): void {
    const { keepaliveMs } = this.#gateway.spans;
    if (!this.open || performance.now() - this.#sentAt < keepaliveMs * 0.7) return;
    this.#keepalives += 1;
    this.send({ $case: 'keepalive', value: { seq: this.#keepalives, queues: [] } });
  }

  #inputEnded(): void {
    if (this.#over || this.#call.cancelled) return;
    this.#halfClosed = true;
    this.#gateway.transcript.add(this.number, { $case: 'halfClosed', value: { peer: this.peer } });
    this.endIfDone();
  }

  #gone(): void {
    if (this.#over) return;
    this.#leave();
    this.#gateway.transcript.add(this.number, { $case: 'broken', value: { peer: this.peer } });
  }

  #leave(): void {
    this.#over = true;
    clearInterval(this.#keepalive);
  }

  #noRoom(jobs: number): Violation {
    const { held, spans } = this.#gateway;
    return new Violation(
      `the window stayed at ${this.#windowJobs} for ${seconds(spans.reactMs)}, with ${held.size} jobs in flight and ${jobs} to come`,
    );
  }
}

/** What an open asks for. */
function windowOf({ subscriptions, globalMaxInFlight }: WorkOpen): number {
  const asked = subscriptions[0]?.maxInFlight ?? 0;
  return Math.min(asked, globalMaxInFlight ?? asked);
}
