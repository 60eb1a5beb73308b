/**
 * The services of `echomq.v1` for `@grpc/grpc-js`: per service its definition (`WorkerServiceService`), the shape of an
 * implementation (`WorkerServiceServer`) and a client (`WorkerServiceClient`).
 */
export * from '../gen/echomq/v1/event_service.js';
export * from '../gen/echomq/v1/gateway_service.js';
export * from '../gen/echomq/v1/producer_service.js';
export * from '../gen/echomq/v1/queue_service.js';
export * from '../gen/echomq/v1/scheduler_service.js';
export * from '../gen/echomq/v1/worker_service.js';
