import { OPTION_FIELDS } from '@echomq/core';

/** Stored names of all that JobOptions models, and of the link to the parent. */
export const STORED = {
  attempts: 'attempts',
  backoff: 'backoff',
  delay: 'delay',
  runAt: 'runAt',
  priority: 'priority',
  lifo: 'lifo',
  jobId: 'jobId',
  removeOnComplete: 'removeOnComplete',
  removeOnFail: 'removeOnFail',
  keepLogs: OPTION_FIELDS.keepLogs,
  stackTraceLimit: 'stackTraceLimit',
  sizeLimit: 'sizeLimit',
  deduplication: OPTION_FIELDS.deduplication,
  failParent: OPTION_FIELDS.failParentOnFailure,
  continueParent: OPTION_FIELDS.continueParentOnFailure,
  ignoreFailure: OPTION_FIELDS.ignoreDependencyOnFailure,
  removeFailed: OPTION_FIELDS.removeDependencyOnFailure,
  headers: 'headers',
  /** The context of a trace, where BullMQ's telemetry has it. */
  trace: OPTION_FIELDS.telemetryMetadata,
  parent: 'parent',
} as const;
