import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { collect } from '@echomq/testkit';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SERVICE_NAMES } from '../src/binding/services.js';
import { serve } from '../src/serve.js';
import { accessFile, bearer, entry } from './access-files.js';
import { FakeEngine } from './fake-engine.js';
import { type Answer, reflectionClient } from './reflection-client.js';
import { clientOf, keptLog, serving, testConfig } from './serving.js';

describe('reflection', () => {
  it.each(['v1', 'v1alpha'] as const)(
    '%s lists the services and describes their messages',
    async (version) => {
      const client = (await serving(new FakeEngine())).client(reflectionClient(version));
      const stream = client.serverReflectionInfo();
      const answers = collect<Answer>('answers');
      stream.on('data', answers.push);
      stream.write({ list_services: '' });
      stream.write({ file_containing_symbol: 'echomq.v1.WorkerService.FetchJobs' });
      stream.write({ file_containing_symbol: 'google.protobuf.Duration' });
      stream.write({ file_containing_symbol: 'echomq.v1.Nothing' });
      const [list, ...files] = await answers.waitFor(4);
      const names = list?.list_services_response?.service.map(({ name }) => name);
      expect(names?.toSorted()).toEqual([...SERVICE_NAMES].toSorted());
      const [worker, duration] = files.map(
        (answer) => answer.file_descriptor_response?.file_descriptor_proto.map(String).join() ?? '',
      );
      for (const name of ['FetchJobsRequest', 'max_response_bytes', 'JobLease']) {
        expect(worker).toContain(name);
      }
      expect(duration).toContain('Duration');
      expect(files[2]?.error_response?.error_code).toBe(status.NOT_FOUND);
      stream.end();
    },
  );

  it('hands out files as they were compiled: one service each, with all that it imports', async () => {
    const client = (await serving(new FakeEngine())).client(reflectionClient('v1'));
    const stream = client.serverReflectionInfo();
    const answers = collect<Answer>('answers');
    stream.on('data', answers.push);
    for (const name of SERVICE_NAMES) stream.write({ file_containing_symbol: name });
    const all = await answers.waitFor(SERVICE_NAMES.length);
    for (const [at, answer] of all.entries()) {
      const files = (answer.file_descriptor_response?.file_descriptor_proto ?? []).map((bytes) =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      );
      const [file] = files;
      expect(file?.service.map(({ name }) => `${file.package}.${name}`)).toEqual([
        SERVICE_NAMES[at],
      ]);
      const names = new Set(files.map(({ name }) => name));
      const missing = files.flatMap(({ dependency }) => dependency).filter((it) => !names.has(it));
      expect(missing).toEqual([]);
    }
    stream.end();
  });

  it('is not answered when it is off', async () => {
    const { client } = await serving(new FakeEngine(), { ECHOMQ_REFLECTION: 'off' });
    const stream = client(reflectionClient('v1')).serverReflectionInfo();
    const errors = collect<ServiceError>('errors');
    stream.on('error', errors.push);
    stream.resume();
    stream.write({ list_services: '' });
    const [error] = await errors.waitFor(1);
    expect(error?.code).toBe(status.UNIMPLEMENTED);
  });

  it('beyond loopback is for those who may administer something', async () => {
    const rights = (verb: string) => ({ acl: [{ queues: ['some'], verbs: [verb] }] });
    const file = accessFile([
      entry('a', 'admin', rights('admin')),
      entry('r', 'read', rights('read')),
    ]);
    const config = testConfig({ ECHOMQ_ACCESS_FILE: file.path });
    const gateway = await serve(new FakeEngine(), { ...config, reflection: 'admin' }, keptLog());
    onTestFinished(() => gateway.close());
    const client = clientOf(gateway.address, reflectionClient('v1'));
    const ended = async (metadata: Metadata) => {
      const stream = client.serverReflectionInfo(metadata);
      const answers = collect<string>('answers');
      stream.on('data', () => answers.push('answered'));
      stream.on('error', (error: ServiceError) => answers.push(status[error.code] ?? ''));
      stream.write({ list_services: '' });
      const [answer] = await answers.waitFor(1);
      stream.end();
      return answer;
    };
    expect(await ended(new Metadata())).toBe('UNAUTHENTICATED');
    expect(await ended(bearer('read'))).toBe('PERMISSION_DENIED');
    expect(await ended(bearer('admin'))).toBe('answered');
  });
});
