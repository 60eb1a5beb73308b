import * as pb from '@echomq/proto/messages';
import { collect, signal } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { delivery, FakeServer } from './fake-server.js';

/** A server that has these capabilities beyond the first version of the contract. */
const serverInfo = (...names: string[]): pb.ServerInfo => ({
  ...pb.ServerInfo.create(),
  capabilities: Object.fromEntries(names.map((name) => [name, true])),
});
const stored = { disposition: pb.Disposition.COMPLETED, attemptsMade: 1 };
const ack = (reportId: number): pb.WorkReportAck => ({
  reportId,
  outcome: { $case: 'result', value: { ...stored, retryIn: undefined, replayed: false } },
});

/** A worker with one slot whose first job runs till it is let go, and a second job that waits for the slot. */
async function waiting(...capabilities: string[]) {
  const server = new FakeServer();
  const [began, go] = [collect<string>('handlers'), signal('go')];
  server.worker(async (job) => {
    began.push(job.id);
    await go.wait();
  });
  const stream = await server.stream(1);
  const { features } = await stream.next('open');
  stream.opened({ serverInfo: serverInfo(...capabilities) });
  stream.deliver(delivery('1'), delivery('2'));
  await began.waitFor(1);
  return { stream, began, features, go: () => go.resolve() };
}

it('a report and the heartbeat for what begins in its place leave in one message', async () => {
  const { stream, features, go } = await waiting('heartbeatMore', 'reportBatches', 'turnBatches');
  expect(features).toEqual(expect.arrayContaining(['reportBatches', 'turnBatches']));
  go();
  const { reports, heartbeat } = await stream.next('reports');
  expect(reports.map(({ lease }) => lease?.jobId)).toEqual(['1']);
  expect(heartbeat?.holdings).toEqual({
    $case: 'more',
    value: { jobs: [{ leaseToken: 't-2', running: true }] },
  });
});

it('a server that does not read that gets them one after the other', async () => {
  const { stream, go } = await waiting('heartbeatMore', 'reportBatches');
  go();
  await stream.next('report');
  const { holdings } = await stream.next('heartbeat');
  expect(holdings?.value).toMatchObject({ jobs: [{ leaseToken: 't-2', running: true }] });
  expect(stream.all('reports')).toEqual([]);
});

it('answers, jobs and answers to heartbeats are read from one message', async () => {
  const { stream, began, go } = await waiting('heartbeatMore', 'reportBatches', 'turnBatches');
  go();
  const { heartbeat } = await stream.next('reports');
  const { reportId } = await stream.next('report');
  expect(reportId).toBe(2);
  stream.send({
    $case: 'reportAcks',
    value: {
      acks: [ack(1), ack(2)],
      delivery: { jobs: [delivery('3'), delivery('4')] },
      heartbeatAcks: [{ seq: heartbeat?.seq ?? 0, leases: [] }],
    },
  });
  expect(await began.waitFor(3)).toEqual(['1', '2', '3']);
  // The answers were taken before: what begins says that they are here.
  await expect.poll(() => stream.all('heartbeat').at(-1)?.ackedThrough).toBe(2);
});

it('what an answer to a heartbeat says of a lease counts there too', async () => {
  const server = new FakeServer();
  const [began, stopped] = [signal('began'), signal('stopped')];
  server.worker((_job, { signal: stop }) => {
    stop.addEventListener('abort', () => stopped.resolve());
    began.resolve();
    return new Promise(() => {});
  });
  const stream = await server.stream(1);
  stream.opened({ serverInfo: serverInfo('heartbeatMore', 'reportBatches', 'turnBatches') });
  stream.deliver(delivery('1'));
  await stream.next('heartbeat');
  const { seq } = await stream.next('heartbeat');
  await began.wait();
  const leases = [{ leaseToken: 't-1', status: pb.LeaseStatus.LOST, lockTtl: undefined }];
  const value = { acks: [], delivery: undefined, heartbeatAcks: [{ seq, leases }] };
  stream.send({ $case: 'reportAcks', value });
  await stopped.wait();
});
