import { type FlowTreeNode, GetFlowRequest, JobState, JobView } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { producerService } from '../../src/services/producer/producer-service.js';
import { queueService } from '../../src/services/queue/queue-service.js';
import { depsOf, frozen, patient, refused, useServices } from '../use-services.js';
import { flowOf, node } from './flow-requests.js';

const used = useServices();

async function getFlow(
  queue: { readonly name: string },
  jobId: string,
  part: Parameters<typeof GetFlowRequest.fromPartial>[0] = {},
  deps = used.deps,
): Promise<FlowTreeNode | undefined> {
  const request = GetFlowRequest.fromPartial({ job: { queue: queue.name, jobId }, ...part });
  return (await queueService(deps).getFlow(frozen(request), patient)).root;
}

/** Ids and states, with the children in brackets. */
function shape(tree: FlowTreeNode | undefined): unknown {
  const children = tree?.children.map(shape) ?? [];
  const name = Object.entries(JobState).find(([, state]) => state === tree?.job?.state)?.[0];
  const head = `${tree?.job?.jobId} ${name}`;
  return children.length === 0 ? head : [head, children];
}

describe('GetFlow', () => {
  it('reads a tree over queues, with what became of each child', async () => {
    const [queue, other] = [used.queue(), used.queue()];
    const down = (id: string) => `bull:${other.name}:${id}`;
    await queue.seed({
      'waiting-children': { r: 1 },
      jobs: { r: { data: '"secret"' } },
      'r:dependencies': [down('x:y:z'), down('gone')],
      'r:processed': { [down('done')]: '1', [down('removed')]: '2' },
      'r:unsuccessful': { [down('bad')]: 1 },
      'r:failed': { 'else:where:ignored': 'why' },
    });
    await other.seed({
      wait: ['x:y:z'],
      completed: { done: 1 },
      failed: { bad: 1 },
      jobs: { 'x:y:z': {}, done: {}, bad: { failedReason: 'no' } },
    });
    const tree = await getFlow(queue, 'r');
    expect(shape(tree)).toEqual([
      'r WAITING_CHILDREN',
      [
        'gone UNKNOWN',
        'x:y:z WAITING',
        'done COMPLETED',
        'removed COMPLETED',
        'bad FAILED',
        'ignored FAILED',
      ],
    ]);
    expect(tree?.dependencies).toEqual({ pending: 2, processed: 2, failed: 1, ignored: 1 });
    expect(tree?.children.map(({ job }) => job?.queue)).toEqual([
      ...Array.from({ length: 5 }, () => other.name),
      'else:where',
    ]);
    expect([tree?.job?.data.length, tree?.job?.dataSize]).toEqual([0, 8]);
    const full = await getFlow(queue, 'r', { view: JobView.FULL });
    expect(full?.job?.data.toString()).toBe('"secret"');
  });

  it('stops at its depth and at its number of children', async () => {
    const queue = used.queue();
    const leaf = (name: string) => node(queue, name, { options: { jobId: name } });
    const tree = node(queue, 'r', {
      options: { jobId: 'r' },
      children: [
        node(queue, 'a', { options: { jobId: 'a' }, children: [leaf('a1'), leaf('a2')] }),
        leaf('b'),
        leaf('c'),
      ],
    });
    await producerService(used.deps).addFlow(flowOf(tree), patient);
    const whole = await getFlow(queue, 'r');
    expect(shape(whole)).toEqual([
      'r WAITING_CHILDREN',
      [['a WAITING_CHILDREN', ['a1 WAITING', 'a2 WAITING']], 'b WAITING', 'c WAITING'],
    ]);
    const flat = await getFlow(queue, 'r', { depth: 1 });
    expect(flat?.children.every(({ children }) => children.length === 0)).toBe(true);
    expect(flat?.children[0]?.dependencies?.pending).toBe(2);
    const few = await getFlow(queue, 'r', { maxChildren: 2 });
    expect(few?.children).toHaveLength(2);
    expect(few?.dependencies?.pending).toBe(3);
  });

  it('keeps to the bytes of a message', async () => {
    const queue = used.queue();
    const children = Array.from({ length: 50 }, (_, i) =>
      node(queue, `c${i}`, { data: Buffer.from(`"${'x'.repeat(400)}"`) }),
    );
    const root = node(queue, 'r', { options: { jobId: 'r' }, children });
    await producerService(used.deps).addFlow(flowOf(root), patient);
    const small = depsOf(used.client, { maxResponseBytes: 10_000 });
    const part = { maxChildren: 100, view: JobView.FULL };
    const tree = await getFlow(queue, 'r', part, small);
    expect(tree?.children.length).toBeGreaterThan(3);
    expect(tree?.children.length).toBeLessThan(15);
    expect(tree?.dependencies?.pending).toBe(50);
    expect((await getFlow(queue, 'r', part))?.children).toHaveLength(50);
  });

  it('refuses a job that is not there, and bad bounds', async () => {
    const queue = used.queue();
    expect((await refused(getFlow(queue, 'none'))).reason).toBe('JOB_NOT_FOUND');
    expect((await refused(getFlow(queue, 'meta'))).reason).toBe('JOB_NOT_FOUND');
    expect((await refused(getFlow(queue, 'r', { depth: 33 }))).metadata.field).toBe('depth');
    const many = getFlow(queue, 'r', { maxChildren: 1_001 });
    expect((await refused(many)).metadata.field).toBe('max_children');
    const none = queueService(used.deps).getFlow(GetFlowRequest.fromPartial({}), patient);
    expect((await refused(none)).metadata.field).toBe('job');
  });
});
