/**
 * Messages and enums of `echomq.v1`, with those of `google.protobuf` and `google.rpc` that they use. Loads no gRPC, so
 * that what serves the contract inside one process needs none.
 *
 * Receivers ignore a `oneof` whose case is `undefined` and have a default branch for each enum: a newer peer may send
 * what this version does not know.
 */
export * from '../gen/echomq/v1/errors.js';
export * from '../gen/echomq/v1/event.js';
export * from '../gen/echomq/v1/gateway.js';
export * from '../gen/echomq/v1/job.js';
export * from '../gen/echomq/v1/outcome.js';
export * from '../gen/echomq/v1/producer.js';
export * from '../gen/echomq/v1/queue.js';
export * from '../gen/echomq/v1/queue_inspection.js';
export * from '../gen/echomq/v1/queue_jobs.js';
export * from '../gen/echomq/v1/queue_writes.js';
export * from '../gen/echomq/v1/scheduler.js';
export * from '../gen/echomq/v1/worker.js';
export * from '../gen/echomq/v1/worker_session.js';
export * from '../gen/echomq/v1/worker_stream.js';
export { Any } from '../gen/google/protobuf/any.js';
export { Duration } from '../gen/google/protobuf/duration.js';
export { Timestamp } from '../gen/google/protobuf/timestamp.js';
export { Code } from '../gen/google/rpc/code.js';
export {
  BadRequest,
  BadRequest_FieldViolation,
  ErrorInfo,
  RetryInfo,
} from '../gen/google/rpc/error_details.js';
export { Status } from '../gen/google/rpc/status.js';
export { durationToMs, msToDuration } from './duration.js';
export {
  ERROR_DOMAIN,
  ERROR_REASON_NAMES,
  type ErrorReasonName,
  isErrorReasonName,
} from './error-reason.js';
