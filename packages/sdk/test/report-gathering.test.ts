import type * as pb from '@echomq/proto/messages';
import { expect, it } from 'vitest';
import { ReportGathering } from '../src/worker/report-gathering.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const completed = (reportId: number, bytes = 4): pb.WorkReport => ({
  ...{ reportId, ackedThrough: 0, lease: undefined, progress: Buffer.alloc(0), logs: [] },
  outcome: { kind: { $case: 'complete', value: { returnValue: Buffer.alloc(bytes) } } },
});

/** What gathers, and what has left, in short. */
function gathering(together = true) {
  const left: string[] = [];
  const gather = new ReportGathering((message) => {
    if (message.$case === 'report') left.push(`${message.value.reportId}`);
    else if (message.$case === 'reports') {
      left.push(message.value.reports.map(({ reportId }) => reportId).join(' '));
    }
  });
  gather.together = together;
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
  gather.flush();
  gather.flush();
  expect(left.slice(1)).toEqual(['101']);
});

const FAILURE: pb.FailOutcome = {
  ...{ errorName: 'Error', message: '', stack: [], retry: 0, retryDelay: undefined },
  details: Buffer.alloc(0),
};
