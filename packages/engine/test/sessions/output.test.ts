import {
  type DeliveredJob,
  type LeaseRenewal,
  LeaseStatus,
  WorkerDirective,
  WorkOpened,
  type WorkReportAck,
  type WorkResponse,
} from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { Output } from '../../src/sessions/output.js';

type Message = NonNullable<WorkResponse['message']>;
const ack = (reportId: number): WorkReportAck => ({ reportId, outcome: undefined });
const job = (id: string) => ({ lease: { jobId: id } }) as DeliveredJob;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An output, and what has left on it, in short. */
function outputOf(together: boolean | 'turns', { failing = false, greeted = true } = {}) {
  const coming = { answers: false };
  const left: string[] = [];
  const unsendable: string[] = [];
  const short = (message: Message): string => {
    if (message.$case === 'reportAck') return `ack ${message.value.reportId}`;
    if (message.$case === 'reportAcks') {
      const { acks, delivery, heartbeatAcks } = message.value;
      const parts = [`acks ${acks.map(({ reportId }) => reportId).join(' ')}`];
      if (delivery) parts.push(short({ $case: 'delivery', value: delivery }));
      for (const value of heartbeatAcks) parts.push(short({ $case: 'heartbeatAck', value }));
      return parts.join(', ');
    }
    if (message.$case === 'delivery') {
      return `jobs ${message.value.jobs.map(({ lease }) => lease?.jobId).join(' ')}`;
    }
    return message.$case === 'heartbeatAck' ? `beat ${message.value.seq}` : message.$case;
  };
  const output = new Output({
    link: {
      requests: (async function* () {})(),
      writable: true,
      onWritable: () => () => undefined,
      send: ({ message }) => {
        if (failing && message?.$case !== 'opened') throw new Error('no');
        left.push(message ? short(message) : 'nothing');
        return true;
      },
    },
    maxBytes: 1_000,
    features:
      together === 'turns' ? ['reportBatches', 'turnBatches'] : together ? ['reportBatches'] : [],
    answersToCome: () => coming.answers,
    onSent: () => undefined,
    onUnsendable: (message) => {
      unsendable.push(message.$case);
      output.close();
    },
  });
  const send = (id: number) => output.send({ $case: 'reportAck', value: ack(id) });
  const greet = () => output.greet(WorkOpened.create());
  if (greeted) {
    greet();
    left.pop();
  }
  const beat = (seq: number, leases: LeaseRenewal[] = []) =>
    output.send({ $case: 'heartbeatAck', value: { seq, leases } });
  return { greet, output, left, unsendable, send, beat, coming };
}

test('nothing leaves before the greeting', () => {
  const { output, left, send, greet } = outputOf(false, { greeted: false });
  output.send({ $case: 'directive', value: WorkerDirective.create() });
  send(1);
  expect([left, output.greeted]).toEqual([[], false]);
  greet();
  send(2);
  expect(left).toEqual(['opened', 'directive', 'ack 1', 'ack 2']);
});

test('the answers of a turn leave together, before the jobs that they bring', async () => {
  const { output, left, send } = outputOf(true);
  send(1);
  output.deliver(job('a'), 10);
  send(2);
  output.deliver(job('b'), 10);
  expect(left).toEqual([]);
  await turn();
  expect(left).toEqual(['acks 1 2', 'jobs a b']);
  send(3);
  await turn();
  expect(left.slice(2)).toEqual(['ack 3']);
});

test('what else is sent comes after the answers that wait', () => {
  const { output, left, send } = outputOf(true);
  send(1);
  send(2);
  output.send({ $case: 'heartbeatAck', value: { seq: 1, leases: [] } });
  expect(left).toEqual(['acks 1 2', 'beat 1']);
});

test('a worker that does not read several at once gets each by itself, at once', () => {
  const { left, send } = outputOf(false);
  send(1);
  send(2);
  expect(left).toEqual(['ack 1', 'ack 2']);
});

test('a hundred are enough for a message', async () => {
  const { left, send } = outputOf(true);
  for (let id = 1; id <= 250; id++) send(id);
  expect(left.map((each) => each.split(' ').length - 1)).toEqual([100, 100]);
  for (let id = 251; id <= 300; id++) send(id);
  // The last hundred waits for what else the turn brings.
  expect(left).toHaveLength(2);
  await turn();
  expect(left.map((each) => each.split(' ').length - 1)).toEqual([100, 100, 100]);
});

test('at the end of a stream its last answers leave, and nothing after them', async () => {
  const { output, left, send } = outputOf(true);
  send(1);
  output.deliver(job('a'), 10);
  output.close();
  send(2);
  await turn();
  expect(left).toEqual(['ack 1']);
});

test('answers that cannot leave are told once', async () => {
  const { unsendable, send } = outputOf(true, { failing: true });
  send(1);
  send(2);
  await turn();
  expect(unsendable).toEqual(['reportAcks']);
});

describe('to a worker that reads a turn in one message', () => {
  test('jobs leave with the answers that bring them, and what is too heavy after them', async () => {
    const { output, left, send } = outputOf('turns');
    send(1);
    output.deliver(job('a'), 200);
    output.deliver(job('b'), 200);
    send(2);
    expect(left).toEqual([]);
    await turn();
    expect(left).toEqual(['acks 1 2, jobs a b']);
    send(3);
    output.deliver(job('c'), 501);
    await turn();
    expect(left.slice(1)).toEqual(['ack 3', 'jobs c']);
  });

  test('a job that goes without its data leaves by itself, and jobs without an answer too', async () => {
    const { output, left, send } = outputOf('turns');
    send(1);
    output.deliver(job('a'), 1_001);
    await turn();
    output.deliver(job('b'), 10);
    await turn();
    expect(left).toEqual(['ack 1', 'jobs a', 'jobs b']);
  });

  test('more jobs than a delivery takes follow in their order', async () => {
    const { output, left, send } = outputOf('turns');
    send(1);
    for (const id of ['a', 'b', 'c']) output.deliver(job(id), 450);
    await turn();
    expect(left).toEqual(['ack 1', 'jobs a b', 'jobs c']);
  });

  test('a heartbeat is answered with the answers to come, or with what else leaves', async () => {
    const { output, left, send, beat, coming } = outputOf('turns');
    beat(1);
    expect(left).toEqual(['beat 1']);
    coming.answers = true;
    beat(2);
    await turn();
    expect(left).toEqual(['beat 1']);
    send(1);
    output.deliver(job('a'), 10);
    await turn();
    beat(3);
    output.send({ $case: 'directive', value: WorkerDirective.create() });
    beat(4);
    beat(5);
    output.flush();
    beat(6);
    output.close();
    const after = [
      'acks 1, jobs a, beat 2',
      'beat 3',
      'directive',
      'acks , beat 4, beat 5',
      'beat 6',
    ];
    expect(left.slice(1)).toEqual(after);
  });

  test('an answer that tells of a lease does not wait, nor pass one that does', () => {
    const { left, beat, coming } = outputOf('turns');
    coming.answers = true;
    beat(1);
    beat(2, [{ leaseToken: 't', status: LeaseStatus.LOST, lockTtl: undefined }]);
    expect(left).toEqual(['beat 1', 'beat 2']);
  });

  test('a hundred answers to heartbeats are enough for a message', () => {
    const { left, beat, coming } = outputOf('turns');
    coming.answers = true;
    for (let seq = 1; seq <= 101; seq++) beat(seq);
    expect(left).toHaveLength(1);
  });
});
