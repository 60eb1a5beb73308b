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
import { DEFAULT_NAMESPACE } from '../access/principal.js';
import { ACCESS_RULES, type AccessRule, accessCheck } from '../access/queue-access.js';
import type { Binding } from './binding.js';
import { decoderOf, type Method, type ServedMethod, served } from './codec.js';
import { mayWaitOf } from './may-wait.js';
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
export const DEFINITIONS: { readonly [S in keyof Services]: DefinitionOf<Services[S]> } = {
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

/** Where the services of a namespace are. */
export interface ServicesSource {
  servicesOf(namespace: string): Services;
}

/** What all handlers share. */
type Shared = Pick<Binding<unknown>, 'reportBug' | 'access' | 'maxUnreadMs'>;

/** Puts all services on a server. An rpc that the engine does not have throws here, not at its call. */
export function bindServices(server: Server, source: ServicesSource, shared: Shared): void {
  for (const key of Object.keys(DEFINITIONS) as (keyof Services)[]) {
    const methods: Record<string, ServedMethod> = {};
    const handlers: Record<string, UntypedHandleCall> = {};
    for (const [name, method] of Object.entries(DEFINITIONS[key] as Record<string, Method>)) {
      methods[name] = served(method);
      handlers[name] = handlerOf(method, bindingOf(source, { key, name, method }, shared));
    }
    server.addService(methods as unknown as ServiceDefinition, handlers);
  }
}

type Run = (...args: never[]) => unknown;

function bindingOf(
  source: ServicesSource,
  { key, name, method }: { key: keyof Services; name: string; method: Method },
  shared: Shared,
): Binding<Run> {
  const rules = ACCESS_RULES[key] as Readonly<Record<string, AccessRule<never>>>;
  const rule = rules[name];
  if (!rule) throw new TypeError(`nothing says who may call ${method.path}`);
  return {
    ...shared,
    runOf: runsOf(source, { key, name, method }),
    decode: decoderOf(method),
    encode: encoderOf(name, method),
    check: accessCheck(rule),
    mayWait: mayWaitOf(key, name),
  };
}

/** The method of each namespace, bound once. */
function runsOf(
  source: ServicesSource,
  { key, name, method }: { key: keyof Services; name: string; method: Method },
): (namespace: string) => Run {
  const known = new Map<string, Run>();
  const runOf = (namespace: string): Run => {
    let run = known.get(namespace);
    if (!run) {
      const api = source.servicesOf(namespace)[key] as unknown as Record<string, unknown>;
      const found = api[name];
      if (typeof found !== 'function') {
        throw new TypeError(`the engine does not serve ${method.path}`);
      }
      run = found.bind(api) as Run;
      known.set(namespace, run);
    }
    return run;
  };
  runOf(DEFAULT_NAMESPACE);
  return runOf;
}

function handlerOf(method: Method, binding: Binding<Run>): UntypedHandleCall {
  if (method.requestStream) return workHandler(binding as unknown as Binding<Work>);
  if (method.responseStream) {
    return serverStreamHandler(binding as unknown as Binding<ServerStream<unknown, unknown>>);
  }
  return unaryHandler(binding as unknown as Binding<Unary<unknown, unknown>>);
}

function encoderOf(name: string, method: Method): (response: unknown) => Uint8Array {
  const hot = HOT[name];
  return hot ? (response) => hot.encode(response as never).finish() : method.responseSerialize;
}
