import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  FieldDescriptorProto_Type as FieldType,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { fileDescriptorSet } from '../src/descriptors.js';
import { isErrorReasonName } from '../src/messages.js';
import { buf, PROTO_DIR } from './buf.js';

const files = fromBinary(FileDescriptorSetSchema, fileDescriptorSet()).file;
const ours = files.filter((file) => file.package === 'echomq.v1');

const RPCS = {
  EventService: 'Subscribe PollEvents',
  GatewayService: 'GetServerInfo',
  ProducerService: 'AddJob AddJobs AddFlow WaitJob',
  QueueService:
    'ListQueues GetQueue GetJobCounts GetCountsPerPriority ListJobs GetJob GetJobLogs GetJobState GetFlow ' +
    'PromoteJob RetryJob RetryJobs PromoteJobs RemoveJob CancelJob UpdateJobPriority UpdateJobDelay ' +
    'UpdateJobOptions SetJobData SetJobProgress AddJobLogs ClearJobLogs ListChildren RemoveChildDependency ' +
    'RemoveUnprocessedChildren PauseQueue ResumeQueue DrainQueue CleanQueue ObliterateQueue SetRateLimit ' +
    'GetRateLimit ClearRateLimit HoldQueue SetConcurrency SetQueueLimits GetMetrics ListWorkers ' +
    'GetDeduplicationJob RemoveDeduplicationKey TrimEvents InspectQueue RepairQueue',
  SchedulerService: 'UpsertScheduler GetScheduler ListSchedulers RemoveScheduler PreviewSchedule',
  WorkerService:
    'FetchJobs FinishJob FinishJobs ExtendLocks UpdateProgress AppendLogs UpdateJobData GetChildrenValues ' +
    'GetJobData Work',
};

/** A message and all that are nested in it. */
function withNested(message: DescriptorProto): DescriptorProto[] {
  return [message, ...message.nestedType.flatMap(withNested)];
}

test('the descriptors are those of the .proto files', () => {
  const fresh = buf([
    'build',
    '--as-file-descriptor-set',
    '--exclude-source-info',
    '-o',
    '-#format=binpb',
  ]);
  expect(fresh.code).toBe(0);
  expect(fileDescriptorSet().equals(fresh.stdout)).toBe(true);
});

test('the descriptors have every file that they import, so that reflection can answer', () => {
  const names = new Set(files.map((file) => file.name));
  const missing = files.flatMap((file) => file.dependency).filter((name) => !names.has(name));
  expect(missing).toEqual([]);
});

test('the services have the rpcs of the contract, in order', () => {
  const found = ours
    .flatMap((file) => file.service)
    .map((service) => [service.name, service.method.map((rpc) => rpc.name).join(' ')]);
  expect(Object.fromEntries(found)).toEqual(RPCS);
});

test('a file has one service alone or messages alone, so that messages load no gRPC', () => {
  for (const file of ours) {
    const isService = file.name.endsWith('_service.proto');
    expect([file.name, file.service.length]).toEqual([file.name, isService ? 1 : 0]);
    if (isService) expect(file.messageType.length + file.enumType.length).toBe(0);
  }
});

test('no file of Java gets the name of another: protoc would write it twice', () => {
  for (const file of ours) {
    const name = file.name.slice(file.name.lastIndexOf('/') + 1, -'.proto'.length);
    const words = name.split('_').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
    expect(file.options?.javaMultipleFiles).toBe(true);
    expect(file.options?.javaOuterClassname).toBe(`${words.join('')}Proto`);
  }
});

test('no field has 64 bits: they throw beyond 2^53 when read into a number', () => {
  const wide = new Set([
    FieldType.INT64,
    FieldType.UINT64,
    FieldType.SINT64,
    FieldType.FIXED64,
    FieldType.SFIXED64,
  ]);
  const found = ours
    .flatMap((file) => file.messageType.flatMap(withNested))
    .flatMap((message) =>
      message.field
        .filter((field) => wide.has(field.type))
        .map((field) => `${message.name}.${field.name}`),
    );
  expect(found).toEqual([]);
});

const rpcComments = readdirSync(join(PROTO_DIR, 'echomq/v1'))
  .filter((name) => name.endsWith('_service.proto'))
  .flatMap((name) => {
    const text = readFileSync(join(PROTO_DIR, 'echomq/v1', name), 'utf8');
    return [...text.matchAll(/((?: {2}\/\/.*\n)+) {2}rpc (\w+)/g)].map((match) => ({
      rpc: `${match[2]}`,
      comment: `${match[1]}`,
    }));
  });

test('each rpc has an Errors block', () => {
  const rpcs = Object.values(RPCS).join(' ').split(' ');
  expect(rpcComments.map(({ rpc }) => rpc).sort()).toEqual(rpcs.sort());
});

test.each(rpcComments)('the Errors block of $rpc names known reasons', ({ comment }) => {
  const block = comment.split('// Errors:\n')[1];
  expect(block).toMatch(/those of any rpc\.\n$/);
  const names = block?.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? [];
  expect(names.filter((name) => !isErrorReasonName(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});
