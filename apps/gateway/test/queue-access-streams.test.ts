import { WorkRequest } from '@echomq/proto/messages';
import { WorkerServiceClient } from '@echomq/proto/services';
import { collect } from '@echomq/testkit';
import type { ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { accessFile, bearer, entry } from './access-files.js';
import { takenApart } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { serving } from './serving.js';

const acl = [{ queues: ['orders'], verbs: ['work'] }];
const entries = [entry('work', 'token-work', { acl })];

describe('a Work stream', () => {
  const open = WorkRequest.fromPartial({
    message: { $case: 'open', value: { subscriptions: [{ queue: 'orders' }] } },
  });

  it.each([
    ['window', { $case: 'window', value: { queue: 'invoices' } }],
    ['report', { $case: 'report', value: { lease: { queue: 'invoices', jobId: '1' } } }],
    [
      'report among several',
      {
        $case: 'reports',
        value: {
          reports: [
            { reportId: 1, lease: { queue: 'orders', jobId: '1' } },
            { reportId: 2, lease: { queue: 'invoices', jobId: '1' } },
          ],
        },
      },
    ],
    ['progress', { $case: 'progress', value: { lease: { queue: 'invoices', jobId: '1' } } }],
    ['logs', { $case: 'logs', value: { lease: { queue: 'invoices', jobId: '1' } } }],
  ] as const)(
    'ends at a %s for a queue outside its rights; others go on',
    async (kind, message) => {
      const seen: string[] = [];
      const engine = new FakeEngine({
        worker: {
          work: async (link) => {
            for await (const request of link.requests) seen.push(request.message?.$case ?? '');
          },
        },
      });
      const file = accessFile(entries);
      const { client } = await serving(engine, { ECHOMQ_ACCESS_FILE: file.path });
      const worker = client(WorkerServiceClient);
      const [stream, other] = [
        worker.work(bearer('token-work')),
        worker.work(bearer('token-work')),
      ];
      const errors = collect<ServiceError>('errors');
      stream.on('error', errors.push);
      stream.resume();
      other.resume();
      const over = new Promise<number>((resolve) =>
        other.on('status', ({ code }) => resolve(code)),
      );
      for (const each of [stream, other]) each.write(open);
      stream.write(WorkRequest.fromPartial({ message } as never));
      const [error] = await errors.waitFor(1);
      expect(takenApart(error as ServiceError)).toMatchObject({
        status: 'PERMISSION_DENIED',
        info: { reason: 'QUEUE_ACCESS_DENIED', metadata: { verb: 'work', queue: 'invoices' } },
      });
      other.end();
      expect(await over).toBe(0);
      expect(seen).toEqual(['open', 'open']);
      expect(seen).not.toContain(kind);
    },
  );
});
