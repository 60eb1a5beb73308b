import {
  addBatch,
  addFlow,
  addJob,
  addJobs,
  type Deduplication,
  EchoMQError,
  type NewJob,
  type Receipt,
} from '@echomq/core';
import { addOne, addRejection, isFull, type ModelAdd } from './adds.js';
import type { MakeCommand } from './command.js';
import { told } from './command.js';
import { addTree, type ModelNode } from './flows.js';
import type { AddPlan } from './plan.js';
import type { Keep, ModelOptions, Policy } from './state.js';
import { LONG_MS, type World } from './world.js';

const CUSTOM = ['a', 'b', 'c'];
const KEEPS: readonly (Keep | undefined)[] = [undefined, undefined, true, 1, 2, { age: 20 }, false];
const POLICIES: readonly Policy[] = ['none', 'fpof', 'cpof', 'idof', 'rdof'];
const MODES = ['simple', 'ttl', 'extend', 'replace', 'keep', 'reschedule'] as const;

/** Adds one job by the transition that its delay and priority ask for. */
export const add: MakeCommand = (world, plan) => {
  const wanted = addOf(world, plan.adds[0] as AddPlan);
  const receipt = plan.receipt ? receiptOf(world) : undefined;
  const { now } = world;
  return {
    real: () =>
      told(
        addJob(world.store, world.queue, {
          ...jobOf(world, wanted, now),
          ...(receipt && { receipt }),
        }).then(added),
      ),
    model: () => addModelled(world, wanted, receipt?.key),
    learn: (answer) => learnAdded(world, answer),
  };
};

/** Adds several in one script. */
export const addMany: MakeCommand = (world, plan) => {
  const wanted = plan.adds.map((one) => addOf(world, one));
  const receipt = plan.receipt ? receiptOf(world) : undefined;
  const { now } = world;
  return {
    real: () =>
      told(
        addJobs(
          world.store,
          world.queue,
          wanted.map((one) => jobOf(world, one, now)),
          { ...(receipt && { receipt }), now },
        ).then((outcomes) => outcomes.map(added).join('; ')),
      ),
    model() {
      const known = receipt && world.model.receipts.get(receipt.key);
      if (known !== undefined) return String(known);
      for (const [at, one] of wanted.entries()) {
        const refused = addRejection(world.model, one, now);
        if (refused) return `${refused} ${at}`;
      }
      for (let at = 0; at < wanted.length; at++) {
        if (isFull(world.model, wanted.slice(0, at + 1), now)) return `QUEUE_FULL ${at}`;
      }
      const answer = wanted.map((one) => addOne(world.model, one, now)).join('; ');
      if (receipt) world.model.receipts.set(receipt.key, answer);
      return answer;
    },
    learn: (answer) => learnAdded(world, answer),
  };
};

/** Adds several in one script, each by itself: one that is refused harms no other. */
export const addBatchCommand: MakeCommand = (world, plan) => {
  const wanted = plan.adds.map((one) => addOf(world, one));
  const receipts = wanted.map(() => (plan.receipt ? receiptOf(world) : undefined));
  const { now } = world;
  return {
    real: async () => {
      const jobs = wanted.map((one, at) => {
        const receipt = receipts[at];
        return { ...jobOf(world, one, now), ...(receipt && { receipt }) };
      });
      const answers = await addBatch(world.store, world.queue, jobs, now);
      return answers
        .map((one) => (one instanceof EchoMQError ? one.reason : added(one)))
        .join('; ');
    },
    model: () => wanted.map((one, at) => addModelled(world, one, receipts[at]?.key)).join('; '),
    learn: (answer) => learnAdded(world, answer),
  };
};

/** One add by the model, or the answer that its request had. */
function addModelled({ model, now }: World, wanted: ModelAdd, request: string | undefined): string {
  const known = request === undefined ? undefined : model.receipts.get(request);
  if (known !== undefined) return String(known);
  const refused =
    addRejection(model, wanted, now) ?? (isFull(model, [wanted], now) ? 'QUEUE_FULL' : undefined);
  if (refused) return refused;
  const answer = addOne(model, wanted, now);
  if (request !== undefined) model.receipts.set(request, answer);
  return answer;
}

/** Adds a tree: a root, children, perhaps a grandchild. */
export const addTreeCommand: MakeCommand = (world, plan) => {
  const nodes = plan.adds.map((one, at): ModelNode => {
    const { customId, options } = addOf(world, { ...one, parent: 0, dedup: 0 });
    return {
      id: customId ?? `f${world.request()}`,
      above: at === 0 ? undefined : at === 3 ? 1 : 0,
      policy: POLICIES[one.policy % POLICIES.length] ?? 'none',
      options,
    };
  });
  const unique = nodes.filter(({ id }, at) => nodes.findIndex((one) => one.id === id) === at);
  const tree = unique.length === nodes.length ? nodes : nodes.slice(0, 1);
  const receipt = plan.receipt ? receiptOf(world) : undefined;
  const { now } = world;
  return {
    real: () =>
      told(
        addFlow(
          world.store,
          tree.map((node, at) => flowNode(world, tree, node, at)),
          {
            ...(receipt && { receipt }),
            now,
          },
        ).then((outcomes) =>
          outcomes
            .map(({ jobId, outcome, state = '' }) => `${jobId} ${outcome} ${state}`)
            .join('; '),
        ),
      ),
    model() {
      const known = receipt && world.model.receipts.get(receipt.key);
      if (known !== undefined) return String(known);
      const answer = addTree(world.model, tree, now);
      if (receipt && / created | existing /.test(answer))
        world.model.receipts.set(receipt.key, answer);
      return answer;
    },
    learn: (answer) => learnAdded(world, answer),
  };
};

function flowNode(world: World, tree: readonly ModelNode[], node: ModelNode, at: number) {
  const { id, above, policy, options } = node;
  const parent = above === undefined ? undefined : (tree[above]?.id ?? '');
  return {
    ...bodyOf(options),
    queue: world.queue,
    id,
    hasChildren: tree.some((one) => one.above === at),
    ...(above === undefined || parent === undefined
      ? {}
      : { parentIndex: above, parent: { json: parentJson(world, parent, policy) } }),
  };
}

function addOf(world: World, plan: AddPlan): ModelAdd {
  const keep = KEEPS[plan.keep % KEEPS.length];
  const options: ModelOptions = {
    ...(plan.attempts > 0 ? { attempts: plan.attempts } : {}),
    ...(plan.backoff > 0 ? { backoff: plan.backoff } : {}),
    ...(keep === undefined ? {} : { removeOnComplete: keep, removeOnFail: keep }),
    ...(plan.lifo ? { lifo: true } : {}),
    ...(plan.delay > 0 ? { delay: plan.delay } : {}),
    ...(plan.priority > 0 ? { priority: plan.priority } : {}),
  };
  const policy = POLICIES[plan.policy % POLICIES.length] ?? 'none';
  const mode = MODES[plan.dedup % 7];
  return {
    customId: CUSTOM[plan.custom],
    options,
    parent: plan.parent > 0 ? { id: world.id(plan.parent - 1), policy } : undefined,
    dedup: plan.dedup > 0 && mode ? { id: plan.dedup > 7 ? 'd' : 'e', mode } : undefined,
  };
}

const bodyOf = (options: ModelOptions) => ({
  name: 'j',
  data: '{}',
  opts: JSON.stringify(options),
  ...(options.delay === undefined ? {} : { delay: options.delay }),
  ...(options.priority === undefined ? {} : { priority: options.priority }),
  ...(options.lifo ? { lifo: true } : {}),
});

function jobOf(world: World, { customId, options, parent, dedup }: ModelAdd, now: number): NewJob {
  return {
    ...bodyOf(options),
    timestamp: now,
    ...(customId === undefined ? {} : { customId }),
    ...(parent
      ? {
          parent: {
            key: world.queue.job(parent.id),
            json: parentJson(world, parent.id, parent.policy),
          },
        }
      : {}),
    ...(dedup ? { deduplication: deduplicationOf(dedup) } : {}),
  };
}

function deduplicationOf({ id, mode }: NonNullable<ModelAdd['dedup']>): Deduplication {
  switch (mode) {
    case 'ttl':
      return { id, ttl: LONG_MS };
    case 'extend':
      return { id, ttl: LONG_MS, extend: true };
    case 'replace':
      return { id, ttl: LONG_MS, replace: true };
    case 'keep':
      return { id, keepLastIfActive: true };
    case 'reschedule':
      return { id, reschedule: true };
    default:
      return { id };
  }
}

const parentJson = (world: World, id: string, policy: Policy): string =>
  JSON.stringify({
    id,
    queueKey: world.queue.base.slice(0, -1),
    ...(policy === 'none' ? {} : { [policy]: true }),
  });

/** A receipt of a request of its own. */
export const receiptOf = (world: World): Receipt => ({
  key: world.queue.requestReceipts(world.request()),
  digest: 'd',
  ttl: LONG_MS,
});

const added = ({
  jobId,
  outcome,
  state = '',
  existingJobId = '',
}: {
  readonly jobId: string;
  readonly outcome: string;
  readonly state?: string;
  readonly existingJobId?: string;
}): string => `${jobId} ${outcome} ${state} ${existingJobId}`;

function learnAdded(world: World, answer: string): void {
  for (const one of answer.split('; ')) {
    if (/ (created|replaced|existing|kept) /.test(one)) world.learn(one.split(' ')[0] ?? '');
  }
}
