import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Client,
  type ClientDuplexStream,
  type Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** What reflection says, as proto-loader reads it. */
export interface Answer {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
  readonly error_response?: { readonly error_code: number };
}

interface ReflectionClient extends Client {
  serverReflectionInfo(metadata?: Metadata): ClientDuplexStream<object, Answer>;
}

const main = createRequire(import.meta.url).resolve('@grpc/reflection');
const protos = join(dirname(main), '..', 'proto');

/** A client of grpc's own reflection service. */
export function reflectionClient(version: 'v1' | 'v1alpha') {
  const file = `grpc/reflection/${version}/reflection.proto`;
  const loaded = loadSync(file, { includeDirs: [protos], keepCase: true });
  const service = loaded[`grpc.reflection.${version}.ServerReflection`];
  return makeGenericClientConstructor(
    service as ServiceDefinition,
    'Reflection',
  ) as unknown as new (
    ...args: ConstructorParameters<typeof Client>
  ) => ReflectionClient;
}
