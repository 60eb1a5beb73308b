/**
 * The engine: serves `echomq.v1` over the core. A gateway brings calls to it over gRPC, the SDK's embedded transport in
 * the same process.
 */
export { Engine, type EngineOptions } from './engine.js';
export { DEFAULT_LIMITS, type Limits } from './limits.js';
export { type ErrorReport, errorReport, statusOf } from './messages/status.js';
export type { Backlog } from './observation/backlog.js';
export {
  type Clock,
  type EngineLogger,
  type EngineObserver,
  type JobEnd,
  silentLogger,
  systemClock,
} from './ports.js';
export { type NamedQueue, QueueNames } from './queue-names.js';
export {
  type ComputedBackoff,
  type NamedBackoff,
  type StepBackoff,
  scriptBackoffs,
} from './retries/named-backoffs.js';
export type {
  CallContext,
  EventApi,
  GatewayApi,
  ProducerApi,
  QueueApi,
  SchedulerApi,
  ServerStream,
  Services,
  Unary,
  Work,
  WorkerApi,
  WorkLink,
} from './service.js';
