import * as pb from '@echomq/proto/messages';
import { type WorkerServiceServer, WorkerServiceService } from '@echomq/proto/services';
import { collect } from '@echomq/testkit';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
} from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, Worker } from '../src/index.js';
import { delivery } from './fake-server.js';
import { next } from './places.js';

type Call = ServerDuplexStream<pb.WorkRequest, pb.WorkResponse>;

/** A gRPC server whose Work streams the test plays. */
async function workServer(onCall: (call: Call, count: number) => void) {
  const server = new Server();
  let count = 0;
  const work = (call: Call) => {
    count += 1;
    call.on('error', () => {});
    onCall(call, count);
  };
  server.addService(WorkerServiceService, { work } as unknown as WorkerServiceServer);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return { server, address: `127.0.0.1:${port}` };
}

const opened = (): pb.WorkResponse => ({
  message: { $case: 'opened', value: pb.WorkOpened.create({ sessionId: 's' }) },
});
const deliver = (id: string): pb.WorkResponse => ({
  message: { $case: 'delivery', value: { jobs: [delivery(id)] } },
});

function workerAt(address: string, token?: () => string) {
  const connection = connect({ address, ...(token ? { token } : {}) });
  const worker = new Worker('q', () => 1, { connection });
  worker.on('error', () => {});
  onTestFinished(async () => {
    const closed = worker.close({ timeoutMs: 0 });
    await connection.transport.close();
    await closed;
    await connection.close();
  });
  return worker;
}

describe('a Work stream over gRPC', () => {
  it.each([
    ['CANCELLED', status.CANCELLED],
    ['UNAVAILABLE', status.UNAVAILABLE],
    ['INTERNAL', status.INTERNAL],
    ['DEADLINE_EXCEEDED', status.DEADLINE_EXCEEDED],
    ['UNKNOWN', status.UNKNOWN],
    ['UNAUTHENTICATED', status.UNAUTHENTICATED],
    ['PERMISSION_DENIED', status.PERMISSION_DENIED],
  ])(
    'T109 remote cancel = exit: that the server ends with %s is followed by another',
    async (code, number) => {
      const reports = collect<number>('reports');
      const { address } = await workServer((call, count) => {
        if (count > 1) {
          call.write(opened());
          call.write(deliver('1'));
        }
        call.on('data', ({ message }: pb.WorkRequest) => {
          if (message?.$case === 'open' && count === 1) {
            call.emit('error', { code: number, details: 'reset', metadata: new Metadata() });
          }
          if (message?.$case === 'report') reports.push(message.value.reportId);
        });
      });
      const worker = workerAt(address);
      const [error] = await next(worker, 'disconnected');
      expect(error).toMatchObject({ code });
      await reports.waitFor(1);
    },
  );

  it.each([
    ['in good order without a word', (call: Call) => call.end()],
    ['with its connection', (_call: Call, server: Server) => server.forceShutdown()],
  ])('that ends %s is lost', async (_what, end) => {
    let server: Server | undefined;
    const served = await workServer((call) => {
      call.write(opened());
      call.on('data', ({ message }: pb.WorkRequest) => {
        if (message?.$case === 'heartbeat' && server) end(call, server);
      });
    });
    server = served.server;
    const [error] = await next(workerAt(served.address), 'disconnected');
    expect(error?.code).toMatch(/UNAVAILABLE|CANCELLED/);
  });

  it('T127 transient auth refusal kills worker: backs off while the gateway refuses the credentials, and works when it takes them', async () => {
    const tokens: unknown[] = [];
    const { address } = await workServer((call, count) => {
      tokens.push(call.metadata.get('authorization')[0]);
      if (count < 4) {
        const details = 'who are you?';
        call.emit('error', { code: status.UNAUTHENTICATED, details, metadata: new Metadata() });
      } else call.write(opened());
    });
    let asked = 0;
    const worker = workerAt(address, () => `t${++asked}`);
    const errors = collect<Error>('errors');
    worker.on('error', errors.push);
    await worker.waitUntilReady();
    expect(errors.items).toHaveLength(3);
    expect(errors.items[0]).toMatchObject({ name: 'AccessDenied', code: 'UNAUTHENTICATED' });
    expect(tokens).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3', 'Bearer t4']);
  });

  it('comes up when the gateway does', async () => {
    const served = await workServer((call) => call.write(opened()));
    const { address, server } = served;
    server.forceShutdown();
    const worker = workerAt(address);
    const errors = collect<Error>('errors');
    worker.on('error', errors.push);
    await errors.waitFor(2);
    expect(errors.items[0]?.message).toContain(`nobody listens at ${address}`);
    const again = new Server();
    onTestFinished(() => again.forceShutdown());
    const work = (call: Call) => call.write(opened());
    again.addService(WorkerServiceService, { work } as unknown as WorkerServiceServer);
    await new Promise<void>((resolve, reject) => {
      again.bindAsync(address, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      );
    });
    await worker.waitUntilReady();
  });

  it('T126 token expiry mid-run: sends a report again under a new token when the old one had expired', async () => {
    const reports = collect<[unknown, number]>('reports');
    const { address } = await workServer((call, count) => {
      const token = call.metadata.get('authorization')[0];
      call.write(opened());
      if (count === 1) call.write(deliver('1'));
      call.on('data', ({ message }: pb.WorkRequest) => {
        if (message?.$case !== 'report') return;
        const { reportId } = message.value;
        reports.push([token, reportId]);
        if (count === 1) {
          const details = 'expired';
          call.emit('error', { code: status.UNAUTHENTICATED, details, metadata: new Metadata() });
          return;
        }
        const value = { disposition: pb.Disposition.COMPLETED, attemptsMade: 1 };
        const result = pb.FinishResult.create(value);
        call.write({
          message: {
            $case: 'reportAck',
            value: { reportId, outcome: { $case: 'result', value: result } },
          },
        });
      });
    });
    let asked = 0;
    const completed = next(
      workerAt(address, () => `t${++asked}`),
      'completed',
    );
    expect((await completed)[1]).toBe(1);
    expect(reports.items).toEqual([
      ['Bearer t1', 1],
      ['Bearer t2', 1],
    ]);
  });

  it('moves to a connection of its own when the server asks for it', async () => {
    const peers: string[] = [];
    const { address } = await workServer((call, count) => {
      peers.push(call.getPeer());
      call.write(opened());
      if (count > 1) return;
      const action = pb.WorkerDirectiveAction.RECONNECT;
      const after = pb.msToDuration(1_100);
      call.write({ message: { $case: 'directive', value: { action, after, reason: '' } } });
    });
    const worker = workerAt(address);
    const ready = collect<void>('ready');
    worker.on('ready', () => ready.push());
    await ready.waitFor(2);
    expect(new Set(peers).size).toBe(2);
  });
});
