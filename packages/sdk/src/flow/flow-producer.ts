import { randomUUID } from 'node:crypto';
import * as pb from '@echomq/proto/messages';
import { type Connection, connectionOf } from '../connection.js';
import { EchoMQError, errorOf, JobNotFound } from '../errors.js';
import { encodeParent } from '../job/encode-options.js';
import { checkList } from '../payload/known-names.js';
import { uint32Of } from '../payload/numbers.js';
import { textOf } from '../payload/text.js';
import { checkQueueName } from '../queue/queue-name.js';
import { flowWithTrace, tracedAdd } from '../telemetry/add-spans.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { noAnswer, nodeOfAdd, treeOf } from './decode-flow.js';
import { encodeFlow } from './encode-flow.js';
import type { FlowJob, FlowOptions, FlowTree, JobNode } from './flow-job.js';

/** How flows are added. */
export interface FlowProducerOptions {
  /** From `connect` or `embedded`. The producer does not close it. */
  readonly connection: Connection;
  /** Traces what is added: `openTelemetry()` of `@echomq/sdk/otel`. Nothing is traced without it. */
  readonly telemetry?: Telemetry | undefined;
}

/** Which part of a tree is read. */
export interface GetFlowOptions {
  /** The queue of the topmost job. */
  readonly queueName: string;
  /** Its id. */
  readonly id: string;
  /** Levels below it, at most 32; 10 by default. */
  readonly depth?: number;
  /** Children of each job, at most 1,000; 20 by default. */
  readonly maxChildren?: number;
  /** Leaves payloads, results, progress and stack traces out. False by default. */
  readonly basic?: boolean;
}

/**
 * Adds trees of jobs in which each waits for its children. It holds nothing open: there is nothing to close.
 *
 * @example
 * const flows = new FlowProducer({ connection });
 * const { job } = await flows.add({
 *   name: 'album',
 *   queueName: 'albums',
 *   children: [{ name: 'photo', queueName: 'photos', data: { n: 1 } }],
 * });
 */
export class FlowProducer {
  /** The connection that it was given. */
  readonly connection: Connection;
  readonly #telemetry: Telemetry | undefined;

  /** @throws InvalidRequest without a connection */
  constructor(options: FlowProducerOptions) {
    this.connection = connectionOf(options);
    this.#telemetry = options.telemetry;
  }

  /**
   * Adds a tree, all or nothing, in one step: at most 2,000 jobs and 32 levels below the root, in a cluster all in one
   * slot. Ids are random unless the options name them; a job that exists takes the place of its node as it is.
   *
   * @returns the jobs in the shape of the tree
   * @throws InvalidRequest naming the field, as `root.children[3].opts.delay`; EchoMQError of reason CROSS_SLOT,
   *   PARENT_JOB_NOT_FOUND, PARENT_JOB_CANNOT_BE_REPLACED, with the place in metadata `field`. Nothing was added then.
   * @throws OutcomeUnknown, Unavailable: it is not added again by itself, since its random ids would make other jobs
   */
  async add(flow: FlowJob, options: FlowOptions = {}): Promise<JobNode> {
    const request = this.#request(flow, 'root', options);
    return this.#send(request);
  }

  /**
   * Adds trees one after the other, each all or nothing by itself; BullMQ's adds them all in one step. Bad input in any
   * of them refuses all of them.
   *
   * @returns the trees in their order
   * @throws what {@link add} throws for the first that is refused, with its index in metadata `flow`: those before it
   *   are added, those after it are not
   */
  addBulk(flows: readonly FlowJob[]): Promise<JobNode[]>;
  /**
   * Adds trees, each by itself.
   *
   * @returns per tree its jobs, or the error that kept it out
   */
  addBulk(
    flows: readonly FlowJob[],
    options: { readonly perItem: true },
  ): Promise<(JobNode | EchoMQError)[]>;
  async addBulk(
    flows: readonly FlowJob[],
    { perItem = false }: { readonly perItem?: boolean } = {},
  ): Promise<(JobNode | EchoMQError)[]> {
    checkList(flows, 'flows');
    const encode = (flow: FlowJob, index: number) => this.#request(flow, `flows[${index}]`, {});
    if (perItem) {
      const results: (JobNode | EchoMQError)[] = [];
      for (const [index, flow] of flows.entries()) {
        results.push(await orError(async () => this.#send(encode(flow, index))));
      }
      return results;
    }
    const nodes: JobNode[] = [];
    for (const [index, request] of flows.map(encode).entries()) {
      const node = await orError(() => this.#send(request));
      if (node instanceof EchoMQError) throw ofFlow(node, index);
      nodes.push(node);
    }
    return nodes;
  }

  /**
   * A job with those for which it waits or waited. Its parts are read one after the other and may have moved meanwhile;
   * those in queues that you may not read are left out.
   *
   * @returns undefined if there is no such job
   * @throws InvalidRequest
   */
  async getFlow({
    queueName,
    id,
    depth,
    maxChildren,
    basic = false,
  }: GetFlowOptions): Promise<FlowTree | undefined> {
    checkQueueName(queueName, 'queueName');
    const request: pb.GetFlowRequest = {
      job: { queue: queueName, jobId: textOf(id, 'id') },
      depth: uint32Of(depth, 'depth') ?? 0,
      maxChildren: uint32Of(maxChildren, 'maxChildren') ?? 0,
      view: basic ? pb.JobView.BASIC : pb.JobView.FULL,
    };
    try {
      const { root } = await this.connection.call('queue', 'getFlow', request);
      return root === undefined ? undefined : treeOf(this.connection, root);
    } catch (error) {
      if (error instanceof JobNotFound) return undefined;
      throw error;
    }
  }

  #request(flow: FlowJob, field: string, options: FlowOptions): pb.AddFlowRequest {
    const root = encodeFlow(flow, field, options);
    const parent = encodeParent(flow.opts?.parent, `${field}.opts.parent`);
    return { root, parent, requestId: randomUUID() };
  }

  async #send(request: pb.AddFlowRequest): Promise<JobNode> {
    const { root: given, parent } = request;
    if (given === undefined) throw noAnswer();
    const what = { queue: given.queue, jobs: countNodes(given) };
    return tracedAdd(this.#telemetry, what, async (span) => {
      const root = flowWithTrace(given, span);
      const sent = { ...request, root };
      const { root: added } = await this.connection.call('producer', 'addFlow', sent);
      if (added === undefined) throw noAnswer();
      return nodeOfAdd(this.connection, root, { added, parent });
    });
  }
}

function countNodes({ children }: pb.FlowNode): number {
  return children.reduce((sum, child) => sum + countNodes(child), 1);
}

async function orError<T>(work: () => Promise<T>): Promise<T | EchoMQError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EchoMQError) return error;
    throw error;
  }
}

/** The same error, telling which of the trees it is about. */
function ofFlow(error: EchoMQError, index: number): EchoMQError {
  const { message, code, reason, retryable, retryAfterMs, metadata } = error;
  return errorOf(message, {
    ...{ code, reason, retryable, retryAfterMs },
    metadata: { ...metadata, flow: `${index}` },
    cause: error,
  });
}
