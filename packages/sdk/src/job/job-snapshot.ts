import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { decodeJson } from '../payload/decode.js';
import { decodeOptions } from './decode-options.js';
import type { JobsOptions } from './job-options.js';
import { decodeState, type JobState } from './job-state.js';

/** What is known of a job since it was read: see {@link Job}. */
export abstract class JobSnapshot<Data = unknown, Result = unknown> {
  /** The queue that holds it. */
  readonly queueName: string;
  /** Its id, unique in its queue. */
  readonly id: string;
  /** The name that the producer gave it, on which handlers branch. */
  readonly name: string;
  /** @internal */
  protected readonly connection: Connection;
  /** @internal */
  protected record: pb.Job;
  #data: { value: unknown } | undefined;

  /** @internal */
  constructor(connection: Connection, record: pb.Job) {
    this.connection = connection;
    this.record = record;
    this.queueName = record.queue;
    this.id = record.jobId;
    this.name = record.name;
  }

  /** The payload, parsed when it is first asked for. @throws EchoMQError of reason PAYLOAD_NOT_JSON */
  get data(): Data {
    this.#data ??= { value: this.json() };
    return this.#data.value as Data;
  }

  /** The payload parsed anew: a value of your own to change. @throws EchoMQError of reason PAYLOAD_NOT_JSON */
  json(): Data {
    return decodeJson(this.record.data, 'data') as Data;
  }

  /** The payload's bytes as they are stored. Empty where a list left them out. */
  get raw(): Uint8Array {
    return this.record.data;
  }

  /** The options with which it was added. */
  get opts(): JobsOptions {
    return decodeOptions(this.record.options, this.record.parent);
  }

  /** Attempts that ended. */
  get attemptsMade(): number {
    return this.record.attemptsMade;
  }

  /** Attempts that began; stalls and delays count here and not in `attemptsMade`. */
  get attemptsStarted(): number {
    return this.record.attemptsStarted;
  }

  /** How often its lock ran out while it ran. */
  get stalledCount(): number {
    return this.record.stalledCount;
  }

  /** When it was added, ms since the epoch by the store's clock (after `add`: by this process's). */
  get timestamp(): number {
    return this.record.createdAt?.getTime() ?? 0;
  }

  /** When the last run began, ms since the epoch. */
  get processedOn(): number | undefined {
    return this.record.processedAt?.getTime();
  }

  /** When it finished, ms since the epoch. */
  get finishedOn(): number | undefined {
    return this.record.finishedAt?.getTime();
  }

  /** The delay in force, in ms. */
  get delay(): number {
    return pb.durationToMs(this.record.delay) ?? 0;
  }

  /** Its priority now; 0: none. */
  get priority(): number {
    return this.record.priority;
  }

  /** What the handler returned. @throws EchoMQError of reason PAYLOAD_NOT_JSON */
  get returnvalue(): Result | undefined {
    return decodeJson(this.record.returnValue, 'returnvalue') as Result | undefined;
  }

  /** Why it failed last. */
  get failedReason(): string | undefined {
    return this.record.failedReason || undefined;
  }

  /** Stack traces of failed attempts, oldest first. */
  get stacktrace(): readonly string[] {
    return this.record.stackTrace;
  }

  /** The progress last reported; undefined if there is none. */
  get progress(): unknown {
    return decodeJson(this.record.progress, 'progress');
  }

  /** The worker that holds it or held it last. */
  get processedBy(): string | undefined {
    return this.record.processedBy || undefined;
  }

  /** The deduplication id with which it was added. */
  get deduplicationId(): string | undefined {
    return this.record.deduplicationId || undefined;
  }

  /** The scheduler that made it, by its id. */
  get repeatJobKey(): string | undefined {
    return this.record.schedulerId || undefined;
  }

  /** The job that waits for this one. */
  get parent(): { readonly id: string; readonly queue: string } | undefined {
    const { parent } = this.record;
    return parent === undefined ? undefined : { id: parent.jobId, queue: parent.queue };
  }

  /** The state that was read with it. {@link getState} asks anew. */
  get state(): JobState {
    return decodeState(this.record.state);
  }

  /** What people want to see of it, in logs for example; a payload that is no JSON is left out. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { id, name, queueName, state, opts, deduplicationId, repeatJobKey } = this;
    const { timestamp, delay, priority, attemptsMade, attemptsStarted, stalledCount } = this;
    const { processedOn, finishedOn, failedReason, stacktrace, processedBy, parent } = this;
    return {
      ...{ id, name, queueName, state, data: orNothing(() => this.data), opts },
      ...{ timestamp, delay, priority, attemptsMade, attemptsStarted, stalledCount },
      ...{ processedOn, finishedOn, progress: orNothing(() => this.progress) },
      ...{ returnvalue: orNothing(() => this.returnvalue), failedReason, stacktrace },
      ...{ processedBy, parent, deduplicationId, repeatJobKey },
    };
  }

  /** @internal The payload was replaced. */
  protected replaceData(data: Buffer): void {
    this.record = { ...this.record, data, dataSize: data.length };
    this.#data = undefined;
  }
}

function orNothing(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
