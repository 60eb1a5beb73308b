import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { fileDescriptorSet } from '@echomq/proto/descriptors';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  type Metadata,
  type StatusObject,
} from '@grpc/grpc-js';
import { type Failure, failureFrom } from './failure.js';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, fileDescriptorSet()));

/** Every rpc of the contract by its name; names are unique over all services. */
export const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  [...registry]
    .flatMap((found) => (found.kind === 'service' ? found.methods : []))
    .map((method) => [method.name, method]),
);

/** What a call answered, in the JSON form of protobuf. */
// biome-ignore lint/suspicious/noExplicitAny: answers of any rpc, read by tests that know their form
export type Answer = any;

/** How a call ended: with its answers, or with an error taken apart. */
export type Ended = { readonly answers: Answer[]; readonly failure?: Failure };

/** How a call is made. */
export interface CallOptions {
  readonly metadata?: Metadata;
  readonly deadline?: number;
}

type Stream = ClientDuplexStream<Buffer, Buffer>;

/** A stream that stays open. */
export interface OpenStream {
  readonly answers: Answer[];
  /** Resolves with its first answer, whatever that says. */
  readonly first: Promise<'opened'>;
  send(message: JsonObject): void;
  half(): void;
  cancel(): void;
  readonly ended: Promise<Ended>;
}

const raw = (bytes: Buffer) => bytes;

/** A client of all services that takes and gives the JSON form of the messages. */
export class Wire {
  readonly #client: Client;

  constructor(readonly address: string) {
    const options = { 'grpc.use_local_subchannel_pool': 1 };
    this.#client = new Client(address, credentials.createInsecure(), options);
  }

  /** Calls with one message, as any kind of rpc may be called, and waits for the end. */
  call(rpc: string, request: JsonObject | Uint8Array, options: CallOptions = {}): Promise<Ended> {
    const bytes = request instanceof Uint8Array ? request : this.bytesOf(rpc, request);
    const { stream, ended } = this.#open(methodOf(rpc), options);
    stream.end(Buffer.from(bytes));
    return ended;
  }

  /** A request as it goes over the wire. */
  bytesOf(rpc: string, request: JsonObject): Uint8Array {
    const { input } = methodOf(rpc);
    return toBinary(input, fromJson(input, request, { registry }));
  }

  /** The one answer of a call that must succeed. */
  async answer(rpc: string, request: JsonObject): Promise<Answer> {
    const { answers, failure } = await this.call(rpc, request);
    if (failure) throw new Error(`${rpc}: ${failure.status} ${failure.reason} ${failure.message}`);
    return answers[0];
  }

  /** Opens a stream and leaves it open. */
  open(rpc: string, message: JsonObject, options: CallOptions = {}): OpenStream {
    const method = methodOf(rpc);
    const { stream, ended, answers, first } = this.#open(method, options);
    const send = (message: JsonObject) => {
      const bytes = toBinary(method.input, fromJson(method.input, message, { registry }));
      stream.write(Buffer.from(bytes));
    };
    send(message);
    if (method.methodKind === 'server_streaming') stream.end();
    const half = () => void stream.end();
    return { answers, first, send, half, cancel: () => stream.cancel(), ended };
  }

  close(): void {
    this.#client.close();
  }

  #open(method: DescMethod, { metadata, deadline }: CallOptions) {
    const path = `/${method.parent.typeName}/${method.name}`;
    const options = deadline === undefined ? {} : { deadline };
    const stream: Stream = metadata
      ? this.#client.makeBidiStreamRequest(path, raw, raw, metadata, options)
      : this.#client.makeBidiStreamRequest(path, raw, raw, options);
    const answers: Answer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) =>
      answers.push(toJson(method.output, fromBinary(method.output, bytes), { registry })),
    );
    const ended = new Promise<Ended>((resolve) => {
      stream.on('status', (status: StatusObject) => {
        resolve(status.code === 0 ? { answers } : { answers, failure: failureFrom(status) });
      });
    });
    const first = new Promise<'opened'>((resolve) => stream.once('data', () => resolve('opened')));
    return { stream, ended, answers, first };
  }
}

function methodOf(rpc: string): DescMethod {
  const method = METHODS.get(rpc);
  if (!method) throw new Error(`no rpc ${rpc}`);
  return method;
}

/** Bytes as the JSON form has them. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
