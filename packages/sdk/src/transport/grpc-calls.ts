import {
  EventServiceService,
  GatewayServiceService,
  ProducerServiceService,
  QueueServiceService,
  SchedulerServiceService,
  WorkerServiceService,
} from '@echomq/proto/services';
import type { ServiceError } from '@grpc/grpc-js';
import { type EchoMQError, errorOf, PayloadTooLarge } from '../errors.js';
import { MAX_MESSAGE_BYTES } from './channel-options.js';
import { bareDetails, explainFailure } from './explain.js';
import { codeName, errorFromStatus, statusFromTrailer } from './status.js';
import type { RequestOf, ResponseOf, Service, ServiceDefinitions } from './transport.js';

/** What a call needs of a method. */
export interface MethodDefinition<Request, Response> {
  readonly path: string;
  requestSerialize(value: Request): Buffer;
  responseDeserialize(value: Buffer): Response;
}

const DEFINITIONS: ServiceDefinitions = {
  producer: ProducerServiceService,
  worker: WorkerServiceService,
  queue: QueueServiceService,
  scheduler: SchedulerServiceService,
  event: EventServiceService,
  gateway: GatewayServiceService,
};

/** The definition of a method by its short names. */
export function definitionOf<S extends Service, M extends keyof ServiceDefinitions[S]>(
  service: S,
  method: M,
): MethodDefinition<RequestOf<S, M>, ResponseOf<S, M>> {
  return DEFINITIONS[service][method] as unknown as MethodDefinition<
    RequestOf<S, M>,
    ResponseOf<S, M>
  >;
}

/** The SDK's error for one of grpc-js. @param target the address, for messages */
export function errorFromCall(error: ServiceError, target: string): EchoMQError {
  const status = statusFromTrailer(error.metadata?.get('grpc-status-details-bin')[0]);
  if (status !== undefined) return errorFromStatus(status, error);
  const code = codeName(error.code);
  const message = error.details || error.message;
  const explained = explainFailure(message, target);
  const size = explained === undefined && /larger than/.test(message);
  if (code === 'RESOURCE_EXHAUSTED' && size) return messageTooLarge(message, error);
  return errorOf(explained === undefined ? message : `${explained} (${bareDetails(message)})`, {
    code,
    reason: '',
    retryable: code === 'UNAVAILABLE',
    cause: error,
  });
}

/** grpc-js itself refused the size, here or there; no retry helps. */
function messageTooLarge(message: string, cause: unknown): PayloadTooLarge {
  const [, actual, bound] = /\((\d+) vs\.? (\d+)\)/.exec(message) ?? [];
  const limitBytes = bound ?? /larger than (\d+)/.exec(message)?.[1] ?? `${MAX_MESSAGE_BYTES}`;
  const limit = `a message has at most ${limitBytes} bytes`;
  return new PayloadTooLarge(actual === undefined ? limit : `${limit}, this one has ${actual}`, {
    code: 'INVALID_ARGUMENT',
    reason: 'PAYLOAD_TOO_LARGE',
    metadata: {
      limitBytes,
      ...(actual === undefined ? {} : { actualBytes: actual }),
    },
    cause,
  });
}
