import type { ServerStream, Services, Unary, Work } from '@echomq/engine';
import {
  AddJobResponse,
  AddJobsResponse,
  ExtendLocksResponse,
  FetchJobsResponse,
  FinishJobResponse,
  FinishJobsResponse,
  GetJobDataResponse,
  SubscribeResponse,
  type WorkRequest,
  WorkResponse,
} from '@echomq/proto/messages';
import {
  EventServiceService,
  GatewayServiceService,
  ProducerServiceService,
  QueueServiceService,
  SchedulerServiceService,
  WorkerServiceService,
} from '@echomq/proto/services';
import type { MethodDefinition, Server, ServiceDefinition, UntypedHandleCall } from '@grpc/grpc-js';
import type { ReportBug } from '../status-codes.js';
import { type Method, type ServedMethod, served } from './codec.js';
import { serverStreamHandler } from './server-stream.js';
import { unaryHandler } from './unary.js';
import { workHandler } from './work.js';

/** A definition that fits an API of the engine: each method of it has its rpc, with the same messages. */
type DefinitionOf<Api> = {
  readonly [M in keyof Api]: Api[M] extends Work
    ? MethodDefinition<WorkRequest, WorkResponse>
    : Api[M] extends Unary<infer Request, infer Response>
      ? MethodDefinition<Request, Response>
      : Api[M] extends ServerStream<infer Request, infer Response>
        ? MethodDefinition<Request, Response>
        : never;
};

/** The contract's services beside the engine's; a method without its rpc does not compile. */
const DEFINITIONS: { readonly [S in keyof Services]: DefinitionOf<Services[S]> } = {
  producer: ProducerServiceService,
  worker: WorkerServiceService,
  queue: QueueServiceService,
  scheduler: SchedulerServiceService,
  event: EventServiceService,
  gateway: GatewayServiceService,
};

/** The full names of the services, as health and reflection know them. */
export const SERVICE_NAMES: readonly string[] = Object.values(DEFINITIONS).map((definition) => {
  const [first] = Object.values(definition as Record<string, Method>);
  return first?.path.split('/')[1] ?? '';
});

interface Encoder {
  encode(message: never): { finish(): Uint8Array };
}

/** Answers of which there are many, or large ones: encoded without the copy that the generated code makes. */
const HOT: Readonly<Record<string, Encoder>> = {
  addJob: AddJobResponse,
  addJobs: AddJobsResponse,
  fetchJobs: FetchJobsResponse,
  finishJob: FinishJobResponse,
  finishJobs: FinishJobsResponse,
  extendLocks: ExtendLocksResponse,
  getJobData: GetJobDataResponse,
  work: WorkResponse,
  subscribe: SubscribeResponse,
};

/** Puts all services of the engine on a server. An rpc that the engine does not have throws here, not at its call. */
export function bindServices(server: Server, services: Services, reportBug: ReportBug): void {
  for (const [key, definition] of Object.entries(DEFINITIONS)) {
    const api = services[key as keyof Services] as unknown as Record<string, unknown>;
    const methods: Record<string, ServedMethod> = {};
    const handlers: Record<string, UntypedHandleCall> = {};
    for (const [name, method] of Object.entries(definition as Record<string, Method>)) {
      methods[name] = served(method);
      handlers[name] = handlerOf(name, method, { run: runOf(api, name, method.path), reportBug });
    }
    server.addService(methods as ServiceDefinition, handlers);
  }
}

type Run = (...args: never[]) => unknown;

function runOf(api: Record<string, unknown>, name: string, path: string): Run {
  const run = api[name];
  if (typeof run !== 'function') throw new TypeError(`the engine does not serve ${path}`);
  return run.bind(api) as Run;
}

function handlerOf(
  name: string,
  method: Method,
  { run, reportBug }: { run: Run; reportBug: ReportBug },
): UntypedHandleCall {
  const encode = encoderOf(name, method);
  if (method.requestStream) return workHandler({ run: run as Work, encode, reportBug });
  if (method.responseStream) {
    const stream = run as ServerStream<unknown, unknown>;
    return serverStreamHandler({ run: stream, encode, reportBug });
  }
  return unaryHandler({ run: run as Unary<unknown, unknown>, encode, reportBug });
}

function encoderOf(name: string, method: Method): (response: unknown) => Uint8Array {
  const hot = HOT[name];
  return hot ? (response) => hot.encode(response as never).finish() : method.responseSerialize;
}
