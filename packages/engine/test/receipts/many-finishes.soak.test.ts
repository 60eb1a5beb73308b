import type { DeliveredJob } from '@echomq/proto/messages';
import { collect } from '@echomq/testkit';
import { expect, test } from 'vitest';
import { complete, useEngine } from '../use-engine.js';
import { beat, openOf, openWork, report } from '../work-link.js';

const used = useEngine();
const [FINISHES, WINDOW, BULK] = [100_000, 32, 5_000];

test('100,000 finishes through one session leave at most as many receipts as its window', {
  timeout: 900_000,
}, async () => {
  const queue = used.queue();
  const { client } = used.redis;
  await queue.seed({ 'stalled-check': '1', ttls: { 'stalled-check': 3_600_000 } });
  for (let from = 0; from < FINISHES; from += BULK) {
    const ids = Array.from({ length: BULK }, (_, at) => `j${from + at}`);
    const options = { opts: '{"removeOnComplete":true}' };
    await queue.seed({ jobs: Object.fromEntries(ids.map((id) => [id, options])) });
    await client.lpush(queue.key('wait'), ...ids);
  }
  const worker = openWork(used.engine, openOf(queue, {}, WINDOW));
  const all = collect<void>('all finishes');
  const answered = new Set<number>();
  let [reports, acked, answers, most, looks] = [0, 0, 0, 0, 0];
  const look = async () => {
    const [key] = await client.keys(queue.key('meta:rcpt:*'));
    most = Math.max(most, key ? await client.hlen(key) : 0);
    looks += 1;
  };
  const finish = (job: DeliveredJob) => worker.send(report(++reports, job, complete('1'), acked));
  worker.onMessage((message) => {
    if (message.$case === 'delivery') for (const job of message.value.jobs) finish(job);
    if (message.$case !== 'reportAck') return;
    expect(message.value.outcome?.$case).toBe('result');
    answered.add(message.value.reportId);
    while (answered.delete(acked + 1)) acked += 1;
    answers += 1;
    if (answers % 1_000 === 0) void look();
    if (answers === FINISHES) all.push();
  });
  await all.waitFor(1, 800_000);
  await look();
  expect(looks).toBeGreaterThan(50);
  expect(most).toBeLessThanOrEqual(WINDOW);
  const last = beat([]);
  if (last.$case === 'heartbeat') last.value.ackedThrough = acked;
  worker.send(last);
  await expect.poll(() => client.keys(queue.key('meta:rcpt:*'))).toEqual([]);
  expect(await client.llen(queue.key('active'))).toBe(0);
  worker.cut();
  console.log(
    `${FINISHES} finishes, a window of ${WINDOW}: at most ${most} receipts at ${looks} looks`,
  );
});
