import {
  ChildFilter,
  type ChildValue,
  type DeliveredJob,
  GetChildrenValuesRequest,
  ParentFailurePolicy,
} from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { complete, fail, fetchOf, finishOf, useEngine, waiting } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';
import { flowOf, node } from './flow-requests.js';

const used = useEngine();
const worker = () => used.engine.services.worker;

function values(
  job: DeliveredJob,
  part: Parameters<typeof GetChildrenValuesRequest.fromPartial>[0],
) {
  const request = GetChildrenValuesRequest.fromPartial({ lease: job.lease, ...part } as never);
  return worker().getChildrenValues(frozen(request), patient);
}

async function take(queue: FreshQueue): Promise<DeliveredJob> {
  const wait = { seconds: 5, nanos: 0 };
  const { jobs } = await worker().fetchJobs(fetchOf(queue, { wait }), patient);
  if (!jobs[0]) throw new Error('no job came');
  return jobs[0];
}

const told = ({ queue, jobId, outcome }: ChildValue) => [queue, jobId, outcome?.value.toString()];

describe('GetChildrenValues', () => {
  it('gives the parent what its children brought, by what became of them', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    const { IGNORE } = ParentFailurePolicy;
    await used.engine.services.producer.addFlow(
      flowOf(
        node(queue, 'r', {
          children: [
            node(other, 'a', { options: { jobId: 'a:b:c' } }),
            node(other, 'b', { options: { jobId: 'b' } }),
            node(other, 'c', { options: { jobId: 'c', parentFailurePolicy: IGNORE } }),
          ],
        }),
      ),
      patient,
    );
    await worker().finishJob(finishOf(await take(other), complete('{"n": 1.0}')), patient);
    await worker().finishJob(finishOf(await take(other), complete('')), patient);
    await worker().finishJob(finishOf(await take(other), fail('no luck')), patient);
    const parent = await take(queue);
    const processed = await values(parent, {});
    expect(processed.children.map(told)).toEqual([
      [other.name, 'a:b:c', '{"n": 1.0}'],
      [other.name, 'b', 'null'],
    ]);
    expect(processed.nextPageToken).toBe('');
    const ignored = await values(parent, { filter: ChildFilter.IGNORED });
    expect(ignored.children.map(told)).toEqual([[other.name, 'c', 'no luck']]);
    for (const filter of [ChildFilter.PENDING, ChildFilter.FAILED]) {
      expect((await values(parent, { filter })).children).toEqual([]);
    }
  });

  it('lists those that have not ended, and those that failed with their reasons', async () => {
    const queue = used.queue();
    await queue.seed({
      ...waiting('r'),
      'r:dependencies': [`bull:${queue.name}:p`],
      'r:unsuccessful': { [`bull:${queue.name}:f`]: 1, 'other:q:g': 1 },
      failed: { f: 1 },
    });
    await queue.seed({ jobs: { r: {}, f: { failedReason: 'bad' } } });
    const parent = await take(queue);
    const pending = await values(parent, { filter: ChildFilter.PENDING });
    expect(pending.children).toEqual([{ queue: queue.name, jobId: 'p', outcome: undefined }]);
    const failed = await values(parent, { filter: ChildFilter.FAILED });
    expect(failed.children.map(told)).toEqual([
      [queue.name, 'f', 'bad'],
      ['other:q', 'g', ''],
    ]);
  });

  it('pages in a steady order, by number and by bytes', async () => {
    const engine = await used.another({ limits: { maxResponseBytes: 2_000 } });
    const queue = used.queue();
    const ids = Array.from({ length: 25 }, (_, i) => `c${String(i).padStart(2, '0')}`);
    const processed = Object.fromEntries(
      ids.map((id, i) => [`bull:${queue.name}:${id}`, `"${'x'.repeat(i === 7 ? 5_000 : 300)}"`]),
    );
    await queue.seed({ ...waiting('r'), 'r:processed': processed });
    const parent = await take(queue);
    for (const [service, pageSize] of [
      [worker(), 10],
      [engine.services.worker, 1_000],
    ] as const) {
      const seen: ChildValue[] = [];
      let pageToken = '';
      let pages = 0;
      do {
        const request = { lease: parent.lease, filter: 0 as ChildFilter, pageSize, pageToken };
        const page = await service.getChildrenValues(frozen(request) as never, patient);
        seen.push(...page.children);
        pageToken = page.nextPageToken;
        pages++;
      } while (pageToken !== '');
      expect(seen.map(({ jobId }) => jobId)).toEqual(ids);
      expect(pages).toBeGreaterThanOrEqual(3);
    }
  });

  it('is for the owner of the lease alone', async () => {
    const queue = used.queue();
    await queue.seed(waiting('r'));
    const parent = await take(queue);
    const lease = parent.lease as NonNullable<DeliveredJob['lease']>;
    const stranger = { ...parent, lease: { ...lease, leaseToken: 'x' } };
    expect((await refused(values(stranger, {}))).reason).toBe('LOCK_NOT_OWNED');
    const bad = values(parent, { filter: 9 as never });
    expect((await refused(bad)).metadata.field).toBe('filter');
    expect((await refused(values(parent, { pageToken: 'x' }))).metadata.field).toBe('page_token');
    await worker().finishJob(finishOf(parent, complete()), patient);
    expect((await refused(values(parent, {}))).reason).toBe('LOCK_LOST');
    const missing = { ...parent, lease: { ...lease, jobId: 'none' } };
    expect((await refused(values(missing, {}))).reason).toBe('JOB_NOT_FOUND');
  });
});
