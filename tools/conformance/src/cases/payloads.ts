import {
  JobSignalKind,
  type LeaseStatus,
  type WorkerDirectiveAction,
} from '@echomq/proto/messages';
import { tokenOf } from '../gateway/jobs.js';
import { unknownField } from '../gateway/wire.js';
import { expectResult, expectThat, nameOf, type Stage } from '../stage.js';
import type { Case } from './case.js';

const MIB = 1_048_576;
/** Beyond every field and every value of every enum of the contract. */
const UNKNOWN = 9_999;

const PAYLOADS: readonly unknown[] = [
  { text: 'Grüße, 世界, 👩‍🚀, "quotes", \\ and \n', nested: { list: [1, [2, { three: 3 }]] } },
  [],
  {},
  null,
  true,
  '',
  'a\u0000b\u2028c',
  0.1,
  -1.5e-7,
  9_007_199_254_740_991,
];

/** What comes in messages, and what comes from a newer server. */
export const CONTENT: readonly Case[] = [
  {
    id: 'payloads',
    grade: 'must',
    rule: 'Data are UTF-8 JSON of any root type, and results are too.',
    async play(stage) {
      const stream = await stage.stream();
      for (const payload of PAYLOADS) {
        const job = stage.jobs.echo(payload);
        await stream.deliver(job);
        expectResult((await stage.report(job)).value, payload, job);
      }
      return `${PAYLOADS.length} values came back as they went`;
    },
  },
  {
    id: 'payload-broken',
    grade: 'must',
    rule: 'Data that are no JSON, as other writers may have left them, fail their job and no other.',
    async play(stage) {
      const stream = await stage.stream();
      for (const data of [Buffer.from('{"a":'), Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x2c])]) {
        const job = { ...stage.jobs.echo(), data, dataSize: data.length };
        await stream.deliver(job);
        const { value } = await stage.report(job);
        const kind = value.outcome?.kind;
        expectThat(kind?.$case === 'fail', `it was reported as ${kind?.$case}`);
      }
      await stage.works(stream);
      return 'two failures, then a job done';
    },
  },
  {
    id: 'payload-large',
    grade: 'must',
    rule: 'Data up to the limit of 1 MiB are taken, several in one message.',
    concurrency: 3,
    async play(stage) {
      const stream = await stage.stream();
      const jobs = [1, 2, 3].map((at) => {
        return stage.jobs.job('slow', { ms: 100 * at, pad: 'x'.repeat(MIB - 100) });
      });
      await stream.deliver(...jobs);
      for (const [at, job] of jobs.entries()) {
        const { value } = await stage.report(job, stage.spans.reactMs * 2);
        expectResult(value, { ms: 100 * (at + 1) }, job);
      }
      return 'three jobs of 1 MiB in one message';
    },
  },
  {
    id: 'oversize',
    grade: 'must',
    rule: 'A delivery without its data (data_omitted) is completed with them or failed with a reason; others flow.',
    async play(stage) {
      const { kind, job } = await oversize(stage);
      expectThat(
        kind?.$case === 'complete' || kind?.$case === 'fail',
        `${nameOf(job)} was reported as ${kind?.$case}`,
      );
      return kind.$case === 'fail' ? `fail "${kind.value.message.slice(0, 80)}"` : 'completed';
    },
  },
  {
    id: 'oversize-read',
    grade: 'should',
    rule: 'Data that a delivery leaves out are read with GetJobData.',
    async play(stage) {
      const { kind, job } = await oversize(stage);
      const calls = stage.transcript.all('call', {
        where: ({ method, token }) => method === 'GetJobData' && token === tokenOf(job),
      });
      expectThat(calls.length > 0, 'GetJobData was not called with the lease of the job');
      expectThat(kind?.$case === 'complete', `${nameOf(job)} was reported as ${kind?.$case}`);
      return 'read with GetJobData and completed';
    },
  },
  {
    id: 'newer-server',
    grade: 'must',
    rule: 'Messages, fields and enum values that a newer server may send are passed over.',
    async play(stage) {
      const beyond = unknownField(UNKNOWN, 'from a newer server');
      stage.gateway.onOpen = (on) => {
        on.accept();
        on.sendBytes(beyond, 'a message of an unknown case');
        on.sendBytes(Buffer.alloc(0), 'an empty message');
      };
      const stream = await stage.stream();
      const job = await stage.begin(stream, stage.jobs.slow(1_500));
      stream.signal(job, UNKNOWN as JobSignalKind, { ends: false });
      stream.signal(job, JobSignalKind.UNSPECIFIED, { ends: false });
      stream.direct(UNKNOWN as WorkerDirectiveAction);
      stream.renewals = [
        { leaseToken: tokenOf(job), status: UNKNOWN as LeaseStatus, lockTtl: undefined },
      ];
      stream.send({ $case: 'keepalive', value: { seq: 1_000, queues: [] } }, beyond);
      const { value } = await stage.report(job, 1_500 + stage.spans.reactMs);
      expectResult(value, { ms: 1_500 }, job);
      await stage.works(stream);
      expectThat(stage.gateway.attempts === 1, 'the worker left the stream');
      return 'the job came to its end on the same stream';
    },
  },
];

/** A job whose data the delivery leaves out, and a small one that must not wait for it. */
async function oversize(stage: Stage) {
  const stream = await stage.stream();
  const whole = stage.jobs.job('slow', { ms: 50, pad: 'x'.repeat(5 * MIB) });
  stage.gateway.payloads.set(tokenOf(whole), whole.data);
  const job = { ...whole, data: Buffer.alloc(0), dataOmitted: true };
  await stream.deliver(job);
  await stage.works(stream);
  const { value } = await stage.report(job, stage.spans.reactMs * 3);
  const kind = value.outcome?.kind;
  if (kind?.$case === 'complete') expectResult(value, { ms: 50 }, job);
  return { kind, job };
}
