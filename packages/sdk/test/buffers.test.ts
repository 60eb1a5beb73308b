import * as pb from '@echomq/proto/messages';
import { signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { delivery, FakeServer } from './fake-server.js';

/** What a heartbeat says is held. */
const heldIn = ({ holdings }: pb.WorkHeartbeat) =>
  holdings?.$case === 'held' ? holdings.value.jobs : [];
const recall = (id: string) => {
  const lease = { queue: 'q', jobId: id, leaseToken: `t-${id}` };
  const value = { lease, kind: pb.JobSignalKind.RECALL, detail: '' };
  return { $case: 'jobSignal', value } as const;
};

describe('a job that is delivered beyond the slots', () => {
  it('is named as not running, and as running before its handler begins', async () => {
    const server = new FakeServer();
    const [finish, began] = [signal('the first may end'), signal<number>('the second begins')];
    let heard = () => 0;
    server.worker(async (job) => {
      if (job.id === '1') await finish.wait();
      else began.resolve(heard());
    });
    const stream = await server.stream(1);
    const naming = () =>
      stream.all('heartbeat').filter((beat) => {
        return heldIn(beat).some(({ leaseToken, running }) => leaseToken === 't-2' && running);
      });
    heard = () => naming().length;
    stream.opened();
    stream.answerHeartbeats();
    stream.deliver(delivery('1'));
    stream.deliver(delivery('2'));
    for (;;) {
      const held = heldIn(await stream.next('heartbeat'));
      if (held.length < 2) continue;
      expect(held).toEqual([
        { leaseToken: 't-1', running: true },
        { leaseToken: 't-2', running: false },
      ]);
      break;
    }
    finish.resolve();
    expect(await began.wait()).toBe(1);
  });

  it('that is asked for back: one that has begun meanwhile is kept and reported', async () => {
    const server = new FakeServer();
    const finish = signal('the handlers may end');
    server.worker(async () => finish.wait(), { concurrency: 2 });
    const stream = await server.stream(1);
    stream.opened();
    stream.answerHeartbeats();
    stream.deliver(delivery('1'), delivery('2'), delivery('3'), delivery('4'));
    while (heldIn(await stream.next('heartbeat')).length < 4);
    for (const id of ['4', '3', '2', '1', '4']) stream.send(recall(id));
    const first = await stream.next('report');
    const second = await stream.next('report');
    const released = { $case: 'release', value: { toFront: true } };
    expect([first, second].map(({ lease, outcome }) => [lease?.jobId, outcome?.kind])).toEqual([
      ['4', released],
      ['3', released],
    ]);
    for (const { reportId } of [first, second]) stream.ack(reportId, pb.Disposition.RELEASED);
    finish.resolve();
    const ends = [await stream.next('report'), await stream.next('report')];
    expect(ends.map(({ outcome }) => outcome?.kind?.$case)).toEqual(['complete', 'complete']);
    expect(ends.map(({ lease }) => lease?.jobId).sort()).toEqual(['1', '2']);
  });

  it.each(['a pause', 'a rate limit'])('goes back at %s, the last first', async (what) => {
    const server = new FakeServer();
    const began: string[] = [];
    const finish = signal('the first may end');
    const worker = server.worker(async (job) => {
      began.push(job.id);
      await finish.wait();
      if (what === 'a rate limit' && job.id === '1') throw worker.rateLimit(5_000);
    });
    const stream = await server.stream(1);
    stream.opened();
    stream.answerHeartbeats();
    stream.deliver(delivery('1'), delivery('2'), delivery('3'));
    while (heldIn(await stream.next('heartbeat')).length < 3);
    if (what === 'a pause') void worker.pause();
    else finish.resolve();
    const released = { $case: 'release', value: { toFront: true } };
    const back = [await stream.next('report'), await stream.next('report')];
    expect(back.map(({ lease, outcome }) => [lease?.jobId, outcome?.kind])).toEqual([
      ['3', released],
      ['2', released],
    ]);
    finish.resolve();
    const end = await stream.next('report');
    const kind = what === 'a pause' ? 'complete' : 'rateLimited';
    expect([end.lease?.jobId, end.outcome?.kind?.$case]).toEqual(['1', kind]);
    // What was on its way goes back too, until the server has stored it.
    stream.deliver(delivery('4'));
    const late = await stream.next('report');
    expect([late.lease?.jobId, late.outcome?.kind]).toEqual(['4', released]);
    for (const { reportId } of [...back, end, late]) stream.ack(reportId, pb.Disposition.RELEASED);
    if (what === 'a pause') worker.resume();
    stream.deliver(delivery('5'));
    expect((await stream.next('report')).lease?.jobId).toBe('5');
    expect(began).toEqual(['1', '5']);
  });

  it('is forgotten with the stream: it has gone back', async () => {
    const server = new FakeServer();
    const began: string[] = [];
    const finish = signal('the first may end');
    server.worker(async (job) => {
      began.push(job.id);
      await finish.wait();
    });
    const stream = await server.stream(1);
    stream.opened();
    stream.deliver(delivery('1'), delivery('2'));
    await stream.next('heartbeat');
    await stream.next('heartbeat');
    stream.end();
    const again = await server.stream(2);
    expect((await again.next('open')).held.map(({ jobId }) => jobId)).toEqual(['1']);
    const lease = { leaseToken: 't-1', status: pb.LeaseStatus.EXTENDED, lockTtl: undefined };
    again.opened({ adopted: [lease] });
    again.answerHeartbeats();
    finish.resolve();
    expect((await again.next('report')).lease?.jobId).toBe('1');
    expect(began).toEqual(['1']);
  });
});
