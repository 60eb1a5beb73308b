import {
  type DeliveredJob,
  WorkerDirective,
  WorkOpened,
  type WorkReportAck,
  type WorkResponse,
} from '@echomq/proto/messages';
import { expect, test } from 'vitest';
import { Output } from '../../src/sessions/output.js';

type Message = NonNullable<WorkResponse['message']>;
const ack = (reportId: number): WorkReportAck => ({ reportId, outcome: undefined });
const job = (id: string) => ({ lease: { jobId: id } }) as DeliveredJob;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An output, and what has left on it, in short. */
function outputOf(together: boolean, { failing = false, greeted = true } = {}) {
  const left: string[] = [];
  const unsendable: string[] = [];
  const short = (message: Message): string => {
    if (message.$case === 'reportAck') return `ack ${message.value.reportId}`;
    if (message.$case === 'reportAcks') {
      return `acks ${message.value.acks.map(({ reportId }) => reportId).join(' ')}`;
    }
    if (message.$case === 'delivery') {
      return `jobs ${message.value.jobs.map(({ lease }) => lease?.jobId).join(' ')}`;
    }
    return message.$case;
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
    together,
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
  return { greet, output, left, unsendable, send };
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
  expect(left).toEqual(['acks 1 2', 'heartbeatAck']);
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
  await turn();
  expect(left.map((each) => each.split(' ').length - 1)).toEqual([100, 100, 50]);
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
