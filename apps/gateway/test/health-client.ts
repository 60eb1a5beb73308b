import { type Client, makeGenericClientConstructor, type ServiceDefinition } from '@grpc/grpc-js';
import { service } from 'grpc-health-check';
import { unary } from './call.js';

/** A client of `grpc.health.v1`. */
export interface HealthClient extends Client {
  check(request: object, done: (error: Error | null, answer: { status: string }) => void): void;
  watch(request: object): NodeJS.EventEmitter & { cancel(): void };
}

/** Makes a client of `grpc.health.v1`. */
export const HealthClient = makeGenericClientConstructor(
  service as unknown as ServiceDefinition,
  'Health',
) as unknown as new (
  ...args: ConstructorParameters<typeof Client>
) => HealthClient;

/** What a service is said to be; the whole server unless named. */
export async function healthOf(client: HealthClient, name = ''): Promise<string> {
  const call = unary<{ status: string }>((done) => client.check({ service: name }, done as never));
  return (await call).status;
}
