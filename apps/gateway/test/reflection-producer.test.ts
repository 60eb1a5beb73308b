import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type AddJobRequest, AddJobResponse } from '@echomq/proto/messages';
import { collect } from '@echomq/testkit';
import { type Client, makeGenericClientConstructor, type ServiceDefinition } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { expect, it } from 'vitest';
import { FakeEngine } from './fake-engine.js';
import { type Answer, reflectionClient } from './reflection-client.js';
import { serving } from './serving.js';

const SERVICE = 'echomq.v1.ProducerService';

type Made = new (
  ...args: ConstructorParameters<typeof Client>
) => Client & {
  addJob(request: object, done: (error: Error | null, reply: { job_id: string }) => void): void;
};

it('a program without any .proto adds a job by what reflection tells, as grpcurl does', async () => {
  const requests: AddJobRequest[] = [];
  const engine = new FakeEngine({
    producer: {
      addJob: async (request: AddJobRequest) => {
        requests.push(request);
        return AddJobResponse.fromPartial({ jobId: '7' });
      },
    },
  });
  const { client } = await serving(engine);

  const stream = client(reflectionClient('v1')).serverReflectionInfo();
  const answers = collect<Answer>('answers');
  stream.on('data', answers.push);
  stream.write({ file_containing_symbol: SERVICE });
  const [answer] = await answers.waitFor(1);
  stream.end();
  const told = answer?.file_descriptor_response?.file_descriptor_proto ?? [];
  const file = told.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }));
  const service = loadFileDescriptorSetFromBuffer(Buffer.from(set))[SERVICE] as ServiceDefinition;

  const producer = client(makeGenericClientConstructor(service, 'Producer') as unknown as Made);
  const request = {
    queue: 'orders',
    name: 'total',
    data: Buffer.from('{"items":[2,3]}'),
    options: { attempts: 3 },
  };
  const { job_id } = await new Promise<{ job_id: string }>((resolve, reject) => {
    producer.addJob(request, (error, reply) => (error ? reject(error) : resolve(reply)));
  });
  expect(job_id).toBe('7');
  const [added] = requests;
  expect([added?.queue, added?.name, added?.data.toString()]).toEqual([
    'orders',
    'total',
    '{"items":[2,3]}',
  ]);
  expect(added?.options?.attempts).toBe(3);
});
