import { type TcpProxy, tcpProxy } from '@echomq/testkit';
import { expect } from 'vitest';
import type { Stand } from '../errors/stand.js';
import { Wire } from '../errors/wire.js';
import { portOf } from '../serving.js';

/** What became of one fetch whose answer was cut off. */
export interface CutFetch {
  /** Whether all of the answer had passed before the cut. */
  readonly arrived: boolean;
}

/**
 * Fetches two of three jobs over a connection that ends after so many bytes of the answer, and asks again with the same
 * request_id. Whatever was cut, the repetition brings the two jobs that a first fetch takes, and the third waits.
 */
export async function cutFetch(stand: Stand, bytes: number): Promise<CutFetch> {
  await using proxy = await tcpProxy(portOf(stand.gateway.address));
  const wire = new Wire(`127.0.0.1:${proxy.port}`);
  try {
    return await cutOn(stand, { wire, proxy }, bytes);
  } finally {
    wire.close();
  }
}

async function cutOn(
  stand: Stand,
  { wire, proxy }: { readonly wire: Wire; readonly proxy: TcpProxy },
  bytes: number,
): Promise<CutFetch> {
  const queue = stand.queue();
  await queue.seed({ wait: ['c', 'b', 'a'], jobs: { a: {}, b: {}, c: {} } });
  const worker = { workerId: 'w', sessionId: `cut-${bytes}` };
  const request = { queue: queue.name, maxJobs: 2, wait: '0s', worker, requestId: 'r' };
  // The connection stands, so that the bytes from here on are those of the answer.
  await wire.answer('GetServerInfo', {});
  proxy.cutAfter(bytes, 'toClient');
  const first = await wire.call('FetchJobs', request);
  const again = await stand.wire.answer('FetchJobs', request);
  const ids = again.jobs.map(({ lease }: { lease: { jobId: string } }) => lease.jobId);
  expect([bytes, ids]).toEqual([bytes, ['a', 'b']]);
  const state = await queue.read();
  expect([bytes, state.wait, state.active]).toEqual([bytes, ['c'], ['b', 'a']]);
  const arrived = first.failure === undefined;
  if (arrived) expect(again.jobs).toEqual(first.answers[0].jobs);
  return { arrived };
}
