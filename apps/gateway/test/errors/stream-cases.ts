import type { JsonObject } from '@bufbuild/protobuf';
import { SubscribeRequest } from '@echomq/proto/messages';
import { eventually } from '@echomq/testkit';
import { framed, readToItsEnd, silentStream } from '../silent-client.js';
import type { Case } from './case.js';
import { failureFrom } from './failure.js';
import { failureOf, type Stand, soon } from './stand.js';
import { base64, type OpenStream } from './wire.js';

const open = (stand: Stand, queue: string, more: JsonObject = {}) => ({
  open: { ...stand.request('Work', { queue }).open, ...more },
});

/** What ends streams and polls of a gateway that has room. */
export const STREAM_CASES: readonly Case[] = [
  {
    ...{ rpc: 'Work', reason: 'PROTOCOL_VIOLATION', facts: [] },
    provoke: async (stand) =>
      failureOf(await soon(stand.wire.open('Work', { heartbeat: { seq: 1 } }).ended)),
  },
  {
    ...{ rpc: 'Work', reason: 'SESSION_SUPERSEDED', facts: [] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      const old = stand.wire.open('Work', open(stand, queue));
      await opened(old);
      const newer = stand.wire.open('Work', open(stand, queue, { epoch: 1 }));
      const ended = await soon(old.ended);
      newer.cancel();
      await newer.ended;
      return failureOf(ended);
    },
  },
  {
    ...{ rpc: 'Work', reason: 'WORKER_UNRESPONSIVE', facts: [] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      const subscriptions = [{ queue, maxInFlight: 1, lockDuration: '1s' }];
      return failureOf(
        await soon(stand.wire.open('Work', open(stand, queue, { subscriptions })).ended),
      );
    },
  },
  ...(['Subscribe', 'PollEvents'] as const).map(
    (rpc): Case => ({
      ...{ rpc, reason: 'EVENT_CURSOR_TRIMMED', facts: ['oldestId'] },
      provoke: async (stand) => {
        const queue = stand.queue().name;
        for (let count = 0; count < 5; count += 1) await stand.add(queue);
        await stand.wire.answer('TrimEvents', { queue, maxEvents: 1 });
        return failureOf(await soon(stand.wire.call(rpc, { queue, resumeAfter: '1-0' })));
      },
    }),
  ),
];

/** On a gateway that takes one stream and one waiting call: the next one is too much. */
export const FULL_CASES: readonly Case[] = [
  ...(['Work', 'Subscribe'] as const).map(
    (rpc): Case => ({
      ...{ rpc, reason: 'TOO_MANY_STREAMS', facts: ['limit'] },
      provoke: async (stand) => {
        const queue = stand.queue().name;
        const first = await roomFor(stand, queue);
        const ended = await soon(stand.wire.call(rpc, stand.request(rpc, { queue })));
        first.cancel();
        await first.ended;
        return failureOf(ended);
      },
    }),
  ),
  ...(['FetchJobs', 'PollEvents', 'WaitJob'] as const).map(
    (rpc): Case => ({
      ...{ rpc, reason: 'TOO_MANY_WAITERS', facts: ['limit'] },
      provoke: async (stand) => {
        const queue = stand.queue().name;
        const jobId = await stand.add(stand.queue().name);
        const waits = { ...stand.request('FetchJobs', { queue }), wait: '30s' };
        const first = stand.wire.open('FetchJobs', waits);
        first.half();
        const request = { ...stand.request(rpc, { queue, jobId }), wait: '30s' };
        const ended = await soon(refusedAmong(stand, rpc, request));
        first.cancel();
        await first.ended;
        return failureOf(ended);
      },
    }),
  ),
];

/** On a gateway that bears for a moment that nobody reads. */
export const UNREAD_CASES: readonly Case[] = [
  {
    ...{ rpc: 'Subscribe', reason: 'QUOTA_EXCEEDED', facts: ['limitMs', 'quota'] },
    provoke: async (stand) => {
      const queue = stand.queue().name;
      const jobId = await stand.add(queue);
      const { address } = stand.gateway;
      const deaf = silentStream(address, '/echomq.v1.EventService/Subscribe');
      const request = SubscribeRequest.fromPartial({ queue, includePayloads: true });
      deaf.end(framed(SubscribeRequest.encode(request).finish()));
      await new Promise((resolve) => deaf.once('response', resolve));
      const progress = base64(`"${'x'.repeat(262_144)}"`);
      for (let count = 0; count < 8; count += 1) {
        await stand.wire.answer('SetJobProgress', { queue, jobId, progress });
      }
      // Nothing tells that it was ended before somebody reads: some times the span.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return failureFrom(await readToItsEnd(deaf));
    },
  },
];

/** Resolves with the first answer of a stream, or with its end. */
async function opened({ answers, ended }: OpenStream): Promise<void> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  await eventually(() => {
    if (answers.length === 0 && !over) throw new Error('not open yet');
  });
}

/** A stream that takes all the room; what was there before may still be on its way out. */
async function roomFor(stand: Stand, queue: string): Promise<OpenStream> {
  return await eventually(async () => {
    const stream = stand.wire.open('Subscribe', { queue });
    await opened(stream);
    if (stream.answers.length === 0) throw new Error('no room');
    return stream;
  });
}

/** The first call may not have arrived yet, so that the second is the one that waits: one of two is refused. */
async function refusedAmong(stand: Stand, rpc: string, request: JsonObject) {
  const calls = [stand.wire.open(rpc, request), stand.wire.open(rpc, request)];
  for (const call of calls) call.half();
  const ended = await Promise.race(calls.map((call) => call.ended));
  for (const call of calls) call.cancel();
  await Promise.all(calls.map((call) => call.ended));
  return ended;
}
