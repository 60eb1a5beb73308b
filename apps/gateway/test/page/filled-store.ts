import { AddFlowRequest, UpsertSchedulerRequest, WorkRequest } from '@echomq/proto/messages';
import {
  ProducerServiceClient,
  SchedulerServiceClient,
  WorkerServiceClient,
} from '@echomq/proto/services';
import { eventually, type JobSeed, type UsedRedis } from '@echomq/testkit';
import { credentials } from '@grpc/grpc-js';
import { unary } from '../call.js';

const MINUTE_MS = 60_000;
const TEMPLATES = ['welcome', 'password-reset', 'receipt', 'weekly-digest'] as const;
const PEOPLE = ['ada', 'grace', 'alan', 'edsger', 'barbara', 'donald', 'katherine'] as const;

const STACK = [
  'Error: 550 5.1.1 no such mailbox',
  '    at Relay.deliver (/srv/mailer/relay.js:88:13)',
  '    at async send (/srv/mailer/handler.js:24:5)',
].join('\n');

function mail(index: number, now: number): JobSeed {
  const name = TEMPLATES[index % TEMPLATES.length] ?? '';
  const to = `${PEOPLE[index % PEOPLE.length]}@example.org`;
  const opts = { attempts: 3, backoff: { type: 'exponential', delay: 1_000 } };
  return { name, data: { to, template: name, locale: 'en' }, opts, timestamp: now - index * 9_000 };
}

/** Runs that have ended: every fortieth of them failed. */
function ended(now: number) {
  const jobs: Record<string, JobSeed> = {};
  const [completed, failed]: Record<string, number>[] = [{}, {}];
  for (let index = 0; index < 160; index++) {
    const id = String(9_000 - index);
    const finishedOn = now - 4_000 - index * 21_000;
    const times = { processedOn: finishedOn - 180 - ((index * 37) % 900), finishedOn };
    const job = {
      ...mail(index, now),
      timestamp: times.processedOn - 2_400,
      ...times,
      pb: 'mailer-1',
    };
    if (index % 40 === 7) {
      const failedReason = '550 5.1.1 no such mailbox';
      jobs[id] = { ...job, ats: 3, atm: 3, failedReason, stacktrace: [STACK] };
      if (failed) failed[id] = finishedOn;
    } else {
      jobs[id] = { ...job, ats: 1, atm: 1, returnvalue: { accepted: true, relay: 'mx2' } };
      if (completed) completed[id] = finishedOn;
    }
  }
  return { jobs, completed: completed ?? {}, failed: failed ?? {} };
}

/** Jobs per minute of the last hour, newest first, as they are stored. */
function points(most: number, seed: number): string[] {
  return Array.from({ length: 60 }, (_, back) => {
    const wave = 0.62 + 0.3 * Math.sin((back + seed) / 6) + 0.12 * Math.sin((back * 7 + seed) / 3);
    return String(Math.max(0, Math.round(most * wave)));
  });
}

/** Fills a store with queues as one would look at, raw: nothing here depends on what time it is. */
export async function fillStore(redis: UsedRedis): Promise<void> {
  const now = Date.now();
  const { jobs, completed, failed } = ended(now);
  const waiting = Array.from({ length: 34 }, (_, index) => String(9_101 + index));
  for (const [index, id] of waiting.entries()) jobs[id] = mail(index, now);
  const delayed = { '9201': now + 40 * MINUTE_MS, '9202': now + 3 * MINUTE_MS };
  for (const id of Object.keys(delayed)) jobs[id] = { ...mail(3, now), delay: 60 * MINUTE_MS };
  await redis.freshQueue({ name: 'mails' }).seed({
    meta: { 'opts.maxLenEvents': 10_000 },
    id: '9300',
    jobs,
    completed,
    failed,
    wait: [...waiting].reverse(),
    // The score of the store: the due time with room for the order of those that are due at once.
    delayed: Object.fromEntries(Object.entries(delayed).map(([id, due]) => [id, due * 4_096])),
    'metrics:completed': { count: 48_210, prevTS: now, prevCount: 48_170 },
    'metrics:completed:data': points(52, 0),
    'metrics:failed': { count: 231, prevTS: now, prevCount: 231 },
    'metrics:failed:data': points(3, 20),
    '9000:logs': ['connected to mx2', 'accepted after 212 ms'],
    '8993:logs': ['connected to mx1', 'RCPT TO refused: 550 5.1.1', 'gave up after 3 attempts'],
  });
  for (const [name, jobs, more] of [
    ['invoices', 3, {}],
    ['thumbnails', 412, { paused: 1 }],
    ['webhooks', 0, {}],
  ] as const) {
    const ids = Array.from({ length: jobs }, (_, index) => String(index + 1));
    await redis.freshQueue({ name }).seed({
      meta: { 'opts.maxLenEvents': 10_000, ...more },
      id: String(jobs),
      ...(ids.length > 0 ? { wait: ids } : {}),
      jobs: Object.fromEntries(ids.map((id) => [id, { name: 'render', timestamp: now - 5_000 }])),
    });
  }
}

/** Adds a flow and two schedulers, and lets a worker hold two jobs of `mails` until the returned function is called. */
export async function workOn(address: string): Promise<() => void> {
  const plain = credentials.createInsecure();
  const producer = new ProducerServiceClient(address, plain);
  const scheduler = new SchedulerServiceClient(address, plain);
  const worker = new WorkerServiceClient(address, plain);
  const render = (part: string) => ({
    queue: 'webhooks',
    name: `render-${part}`,
    data: Buffer.from(JSON.stringify({ issue: 12, part })),
    options: { jobId: `issue-12-${part}` },
  });
  const root = {
    queue: 'mails',
    name: 'newsletter',
    data: Buffer.from('{"issue":12}'),
    options: { jobId: 'issue-12' },
    children: [
      render('cover'),
      render('stories'),
      { ...render('index'), children: [render('dates')] },
    ],
  };
  await unary((done) => producer.addFlow(AddFlowRequest.fromPartial({ root }), done));
  for (const [schedulerId, repeat] of [
    [
      'nightly-report',
      { $case: 'cron', value: { expression: '0 3 * * *', timeZone: 'Europe/Berlin' } },
    ],
    ['bounce-sweep', { $case: 'every', value: { seconds: 900, nanos: 0 } }],
  ] as const) {
    const template = { name: schedulerId, data: Buffer.from('{}') };
    const request = { queue: 'mails', schedulerId, schedule: { repeat }, template };
    await unary((done) =>
      scheduler.upsertScheduler(UpsertSchedulerRequest.fromPartial(request), done),
    );
  }
  const stream = worker.work();
  let held = 0;
  stream.on('error', () => undefined);
  stream.on('data', ({ message }: { message?: { $case: string; value: { jobs?: unknown[] } } }) => {
    if (message?.$case === 'delivery') held += 1;
  });
  const info = {
    workerId: 'mailer-1',
    name: 'mailer-1',
    sessionId: 'mailer-1',
    host: 'web-3',
    pid: 4242,
  };
  const sdk = { language: 'typescript', version: '0.1.0' };
  const subscriptions = [{ queue: 'mails', maxInFlight: 2 }];
  const load = { running: 2, capacity: 4 };
  const value = { worker: { ...info, sdk }, subscriptions, epoch: 0, load };
  stream.write(WorkRequest.fromPartial({ message: { $case: 'open', value } }));
  await eventually(() => held >= 1);
  return () => {
    stream.cancel();
    for (const client of [producer, scheduler, worker]) client.close();
  };
}
