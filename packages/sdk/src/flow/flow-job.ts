import type { DependenciesCount } from '../job/dependencies.js';
import type { Job } from '../job/job.js';
import type { JobsOptions } from '../job/job-options.js';

/** A job of a flow and those for which it waits. */
export interface FlowJob {
  /** A name of your choice, on which handlers branch. */
  readonly name: string;
  /** The queue that is to hold it. */
  readonly queueName: string;
  /** Its payload; an empty object by default. */
  readonly data?: unknown;
  /**
   * How it is to be run and kept. Of a child also what its failure does to its parent (one of `failParentOnFailure`,
   * `continueParentOnFailure`, `ignoreDependencyOnFailure`, `removeDependencyOnFailure`); `parent` for the root alone;
   * no `deduplication`.
   */
  readonly opts?: JobsOptions;
  /** The jobs that must finish first. */
  readonly children?: readonly FlowJob[];
}

/** Default options of the jobs of a flow. */
export interface FlowOptions {
  /** By queue. */
  readonly queuesOptions?: Readonly<
    Record<string, { readonly defaultJobOptions?: JobsOptions } | undefined>
  >;
}

/** A job of a flow with its children, which have the order in which they were given. */
export interface JobNode {
  readonly job: Job;
  /** Empty for a job without any. */
  readonly children: readonly JobNode[];
}

/** A job as `getFlow` reads it: with as many of its children as were asked for. */
export interface FlowTree extends JobNode {
  readonly children: readonly FlowTree[];
  /** How all its children stand. */
  readonly dependencies: DependenciesCount;
}
