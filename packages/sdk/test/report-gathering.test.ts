import type * as pb from '@echomq/proto/messages';
import { expect, it } from 'vitest';
import { ReportGathering } from '../src/worker/report-gathering.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const completed = (reportId: number, bytes = 4): pb.WorkReport => ({
  ...{ reportId, ackedThrough: 0, lease: undefined, progress: Buffer.alloc(0), logs: [] },
  outcome: { kind: { $case: 'complete', value: { returnValue: Buffer.alloc(bytes) } } },
});

/** What gathers, and what has left, in short. */
function gathering(together = true, turns = false) {
  const left: string[] = [];
  const gather = new ReportGathering((message) => {
    if (message.$case === 'report') left.push(`${message.value.reportId}`);
    else if (message.$case === 'reports') {
      const { reports, heartbeat } = message.value;
      const ids = reports.map(({ reportId }) => reportId).join(' ');
      left.push(heartbeat ? `${ids}, beat ${heartbeat.seq}` : ids);
    } else if (message.$case === 'heartbeat') left.push(`beat ${message.value.seq}`);
  });
  gather.together = together;
  gather.turns = turns;
  return { gather, left };
}

it('sends the reports of a turn together', async () => {
  const { gather, left } = gathering();
  for (const id of [1, 2, 3]) gather.push(completed(id));
  expect(left).toEqual([]);
  await turn();
  gather.push(completed(4));
  await turn();
  expect(left).toEqual(['1 2 3', '4']);
});

it('sends each by itself to a server that does not read several', () => {
  const { gather, left } = gathering(false);
  for (const id of [1, 2]) gather.push(completed(id));
  expect(left).toEqual(['1', '2']);
});

it('sends what is heavy by itself, in its place', () => {
  const { gather, left } = gathering();
  gather.push(completed(1));
  gather.push(completed(2));
  gather.push(completed(3, 20_000));
  gather.push({ ...completed(4), logs: ['x'.repeat(6_000)] });
  gather.push(completed(5));
  const stack = Array.from({ length: 60 }, () => 'y'.repeat(100));
  const fail = { ...FAILURE, message: 'no', stack };
  gather.push({ ...completed(6), outcome: { kind: { $case: 'fail', value: fail } } });
  gather.flush();
  expect(left).toEqual(['1 2', '3', '4', '5', '6']);
});

it('sends together what every bound of a message takes', () => {
  const { gather, left } = gathering();
  const lease = { queue: 'q'.repeat(100), jobId: '字'.repeat(1_000), leaseToken: 't'.repeat(22) };
  for (let id = 1; id <= 8; id += 1) gather.push({ ...completed(id, 12_000), lease });
  gather.flush();
  expect(left).toEqual(['1 2 3', '4 5 6', '7 8']);
  for (let id = 9; id <= 30; id += 1) gather.push({ ...completed(id), lease });
  gather.flush();
  expect(left.slice(3).map((each) => each.split(' ').length)).toEqual([14, 8]);
});

it('sends at most a hundred together', () => {
  const { gather, left } = gathering();
  for (let id = 1; id <= 101; id += 1) gather.push(completed(id));
  expect(left.map((each) => each.split(' ').length)).toEqual([100]);
  // The hundredth waits for what else the turn brings.
  for (let id = 102; id <= 200; id += 1) gather.push(completed(id));
  expect(left).toHaveLength(1);
  gather.flush();
  gather.flush();
  expect(left.slice(1).map((each) => each.split(' ').length)).toEqual([100]);
});

const beat = (seq: number, names = 1): pb.WorkHeartbeat => {
  const jobs = Array.from({ length: names }, () => ({ leaseToken: 't'.repeat(22), running: true }));
  return { seq, holdings: { $case: 'more', value: { jobs } }, ackedThrough: 0, load: undefined };
};

it('sends a heartbeat in one message with the reports of its turn', async () => {
  const { gather, left } = gathering(true, true);
  gather.push(completed(1));
  gather.push(completed(2));
  gather.beat(beat(1));
  gather.push(completed(3));
  gather.beat(beat(2));
  gather.beat(beat(3));
  await turn();
  expect(left).toEqual(['1 2, beat 1', '3, beat 2', 'beat 3']);
});

it('sends a heartbeat after the reports where the server reads no more, or both do not fit', () => {
  const older = gathering(true);
  older.gather.push(completed(1));
  older.gather.beat(beat(1));
  expect(older.left).toEqual(['1', 'beat 1']);
  const { gather, left } = gathering(true, true);
  gather.push(completed(1, 16_000));
  gather.beat(beat(1, 1_000));
  expect(left).toEqual(['1', 'beat 1']);
});

const FAILURE: pb.FailOutcome = {
  ...{ errorName: 'Error', message: '', stack: [], retry: 0, retryDelay: undefined },
  details: Buffer.alloc(0),
};
