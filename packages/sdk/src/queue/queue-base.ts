import { type Connection, connectionOf } from '../connection.js';
import { invalid } from '../errors.js';
import type { JobName } from '../job/job-calls.js';
import type { JobsOptions } from '../job/job-options.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { checkQueueName } from './queue-name.js';

/** How a queue is reached. */
export interface QueueOptions {
  /** From `connect` or `embedded`. The queue does not close it. */
  readonly connection: Connection;
  /** Options of every job that is added here, where the add names none. */
  readonly defaultJobOptions?: JobsOptions;
  /** Traces what is added: `openTelemetry()` of `@echomq/sdk/otel`. Nothing is traced without it. */
  readonly telemetry?: Telemetry | undefined;
}

/** What every part of a queue's interface stands on. */
export abstract class QueueBase {
  /** Its name. */
  readonly name: string;
  /** The connection that it was given. */
  readonly connection: Connection;
  /** Options of every job that is added here, where the add names none. */
  readonly defaultJobOptions: JobsOptions;
  /** What traces its adds, if something does. */
  readonly telemetry: Telemetry | undefined;

  /** @throws InvalidRequest for a name outside the rules, or without a connection */
  constructor(name: string, options: QueueOptions) {
    checkQueueName(name);
    this.name = name;
    this.connection = connectionOf(options);
    this.defaultJobOptions = options.defaultJobOptions ?? {};
    this.telemetry = options.telemetry;
  }

  /** @internal A job of this queue, for calls. @throws InvalidRequest */
  protected jobName(id: unknown): JobName {
    if (typeof id === 'string' && id !== '') return { queue: this.name, jobId: id };
    throw invalid('jobId', 'must be a string that is not empty');
  }
}
