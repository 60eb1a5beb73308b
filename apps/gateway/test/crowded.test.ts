import type { DescMessage } from '@bufbuild/protobuf';
import {
  AddFlowRequest,
  AddJobsRequest,
  FinishJobsRequest,
  FlowNode,
  WorkRequest,
} from '@echomq/proto/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crowdedField } from '../src/binding/crowded.js';
import { METHODS } from './errors/wire.js';

const pathOf = (rpc: string): string => {
  const method = METHODS.get(rpc);
  return `/${method?.parent.typeName}/${method?.name}`;
};

/** All ways into the contract's requests, down to the third level. */
function* waysOf(message: DescMessage, depth = 3): Generator<DescMessage['fields']> {
  for (const field of message.fields) {
    yield [field];
    if (!field.message || field.fieldKind === 'map' || depth === 1) continue;
    for (const rest of waysOf(field.message, depth - 1)) yield [field, ...rest];
  }
}

/** A tag of the wire: of a value with a length, unless said otherwise. */
function tagOf(number: number): Buffer {
  const tag = (number << 3) | 2;
  return tag < 128 ? Buffer.from([tag]) : Buffer.from([(tag & 127) | 128, tag >>> 7]);
}

function lengthOf(length: number): Buffer {
  const bytes: number[] = [];
  for (let left = length; left > 0 || bytes.length === 0; left >>>= 7) {
    bytes.push((left & 127) | (left > 127 ? 128 : 0));
  }
  return Buffer.from(bytes);
}

/** The last field of a way so many times, empty, in the ones before it. */
function flood(way: DescMessage['fields'], count: number): Buffer {
  const last = Buffer.concat([tagOf(way.at(-1)?.number ?? 0), Buffer.from([0])]);
  return way
    .slice(0, -1)
    .reduceRight(
      (inner, { number }) => Buffer.concat([tagOf(number), lengthOf(inner.length), inner]),
      Buffer.alloc(count * last.length, last),
    );
}

describe('too many entries', () => {
  it('are found in every field of every request', () => {
    for (const [rpc, { input }] of METHODS) {
      for (const way of waysOf(input)) {
        const path = way.map(({ name }) => name).join('.');
        expect([rpc, crowdedField(pathOf(rpc), flood(way, 210_000))]).toEqual([rpc, path]);
      }
    }
  });

  it('are 20,000 messages, over all lists', () => {
    const way = [...waysOf(METHODS.get('AddJobs')?.input as DescMessage)].find(
      ([field]) => field?.name === 'items',
    ) as DescMessage['fields'];
    expect(crowdedField(pathOf('AddJobs'), flood(way, 20_000))).toBeUndefined();
    expect(crowdedField(pathOf('AddJobs'), flood(way, 20_001))).toBe('items');
  });

  it('are no bytes, whatever they say of their length', () => {
    const bytes = fc.uint8Array({ minLength: 40_001, maxLength: 60_000, size: 'max' });
    fc.assert(
      fc.property(bytes, fc.constantFrom(...METHODS.keys()), (message, rpc) => {
        crowdedField(pathOf(rpc), message);
      }),
      { numRuns: 50 },
    );
    const cutOff = Buffer.concat([
      Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]),
      Buffer.alloc(50_000),
    ]);
    expect(crowdedField(pathOf('AddJobs'), cutOff)).toBeUndefined();
  });
});

const held = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ queue: 'orders', jobId: `job-${at}`, leaseToken: 'a-token-of-22-letters.' },
  }));

describe('the largest requests that may come are none', () => {
  it.each<[string, string, Uint8Array]>([
    [
      'a thousand jobs with fifty headers each',
      'AddJobs',
      AddJobsRequest.encode(
        AddJobsRequest.fromPartial({
          items: Array.from({ length: 1_000 }, () => ({
            name: 'job',
            options: { headers: Object.fromEntries(held(50).map(({ jobId }) => [jobId, 'x'])) },
          })),
        }),
      ).finish(),
    ],
    [
      'a flow of two thousand',
      'AddFlow',
      AddFlowRequest.encode({
        ...{ requestId: '', parent: undefined },
        root: FlowNode.fromPartial({
          children: held(1_999).map(({ queue, jobId }) => ({
            queue,
            name: jobId,
            options: { jobId },
          })),
        }),
      }).finish(),
    ],
    [
      'a hundred finishes with a thousand lines of a stack each',
      'FinishJobs',
      FinishJobsRequest.encode(
        FinishJobsRequest.fromPartial({
          items: held(100).map((lease) => ({
            lease,
            outcome: { kind: { $case: 'fail', value: { stack: held(1_000).map(() => 'at') } } },
          })),
        }),
      ).finish(),
    ],
    [
      'an open with a thousand queues and ten thousand leases',
      'Work',
      WorkRequest.encode(
        WorkRequest.fromPartial({
          message: {
            $case: 'open',
            value: {
              subscriptions: held(1_000).map(({ queue }) => ({ queue })),
              held: held(10_000),
            },
          },
        }),
      ).finish(),
    ],
    [
      'a heartbeat of 4 MiB',
      'Work',
      WorkRequest.encode(
        WorkRequest.fromPartial({
          message: {
            $case: 'heartbeat',
            value: { holdings: { $case: 'held', value: { jobs: held(140_000) } } },
          },
        }),
      ).finish(),
    ],
  ])('%s', (_what, rpc, message) => {
    expect(message.byteLength).toBeGreaterThan(40_000);
    expect(crowdedField(pathOf(rpc), message)).toBeUndefined();
  });
});
