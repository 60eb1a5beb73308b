import { addFlow as addTree, BatchRejected, type FlowNode, REJECTIONS } from '@echomq/core';
import type { FlowJob, FlowOpts, JobsOptions } from 'bullmq';
import {
  type EchoSite,
  NOW,
  type OracleCase,
  type QueueNames,
  type TransitionCases,
} from '../oracle/oracle-case.js';
import { childOf, DATA, META, newJob, parentJson, stored } from './jobs.js';

/** A node of a case: its id, options, and whether it stands in the other queue. */
interface Node {
  readonly id: string;
  readonly elsewhere?: boolean;
  readonly options?: JobsOptions;
  readonly children?: readonly Node[];
}

function bullTree(node: Node, names: QueueNames): FlowJob {
  const key = node.elsewhere ? names.other : names.main;
  return {
    name: 'send',
    queueName: key.slice('bull:'.length),
    data: DATA,
    opts: { ...node.options, jobId: node.id } as FlowJob['opts'] & object,
    ...(node.children ? { children: node.children.map((child) => bullTree(child, names)) } : {}),
  };
}

/** Generation by generation, the order in which BullMQ adds. */
function echoNodes(root: Node, { queue, other, names }: EchoSite): FlowNode[] {
  const line: { node: Node; above?: { index: number; node: Node } }[] = [{ node: root }];
  const nodes: FlowNode[] = [];
  // The line grows while it is walked.
  for (const { node, above } of line) {
    const parent = above && {
      id: above.node.id,
      queue: above.node.elsewhere ? names.other : names.main,
    };
    const options: JobsOptions = { ...node.options, jobId: node.id, ...(parent ? { parent } : {}) };
    const { customId: _id, timestamp: _at, parent: _parent, ...job } = newJob(options);
    const index = nodes.length;
    nodes.push({
      ...job,
      queue: node.elsewhere ? other : queue,
      id: node.id,
      ...(above ? { parentIndex: above.index, parent: { json: parentJson(options) } } : {}),
      hasChildren: (node.children?.length ?? 0) > 0,
    });
    for (const child of node.children ?? []) line.push({ node: child, above: { index, node } });
  }
  return nodes;
}

function flowCase(
  name: string,
  root: Node,
  seed: NonNullable<OracleCase['seed']> = () => ({}),
): OracleCase {
  return {
    name,
    seed,
    echomq: async (site) => {
      try {
        await addTree(site.store, echoNodes(root, site), { now: NOW });
      } catch (error) {
        if (!(error instanceof BatchRejected)) throw error;
        return `refused ${REJECTIONS[error.reason]}`;
      }
      return undefined;
    },
    bullmq: async (site) => {
      await site.flow().add(bullTree(root, site.names), {} as FlowOpts);
    },
  };
}

const FAMILY: Node = {
  id: 'p',
  children: [
    { id: 'a', elsewhere: true },
    { id: 'b', elsewhere: true, options: { priority: 3 } },
  ],
};

/** Trees. */
export const addFlow: TransitionCases = {
  transition: 'addFlow',
  cases: [
    flowCase('of a parent and two children', FAMILY),
    flowCase('of three generations', {
      id: 'p',
      children: [{ id: 'a', children: [{ id: 'b', elsewhere: true }, { id: 'c' }] }, { id: 'd' }],
    }),
    flowCase('with options and policies', {
      id: 'p',
      options: { priority: 4, attempts: 2 },
      children: [
        { id: 'a', options: { delay: 10_000, failParentOnFailure: true } },
        { id: 'b', options: { lifo: true, ignoreDependencyOnFailure: true } },
      ],
    }),
    flowCase('without children', { id: 'p', options: { attempts: 2 } }),
    flowCase('while paused', FAMILY, () => ({
      main: { meta: { ...META, paused: '1' } },
      other: { meta: { ...META, paused: '1' } },
    })),
    flowCase('with a child that exists', FAMILY, () => ({
      other: { meta: META, wait: ['a'], jobs: { a: stored() } },
    })),
    flowCase('with a child that has completed', FAMILY, () => ({
      other: { meta: META, completed: { a: 5 }, jobs: { a: stored({ returnvalue: '7' }) } },
    })),
    flowCase('with children that have all completed', FAMILY, () => ({
      other: {
        meta: META,
        completed: { a: 5, b: 6 },
        jobs: { a: stored({ returnvalue: '7' }), b: stored({ returnvalue: '8' }) },
      },
    })),
    flowCase('with a child that has failed', FAMILY, () => ({
      other: { meta: META, failed: { a: 5 }, jobs: { a: stored({ failedReason: 'boom' }) } },
    })),
    flowCase('with a child of another living parent', FAMILY, (names) => ({
      main: {
        meta: META,
        'waiting-children': { q: 5 },
        jobs: { q: stored() },
        'q:dependencies': [`${names.other}:a`],
      },
      other: { meta: META, wait: ['a'], jobs: { a: stored(childOf(names.main, 'q')) } },
    })),
    flowCase(
      'with only a child of another living parent',
      { id: 'p', children: [{ id: 'a', elsewhere: true }] },
      (names) => ({
        main: {
          meta: META,
          'waiting-children': { q: 5 },
          jobs: { q: stored() },
          'q:dependencies': [`${names.other}:a`],
        },
        other: { meta: META, wait: ['a'], jobs: { a: stored(childOf(names.main, 'q')) } },
      }),
    ),
    flowCase('with a child whose parent is gone', FAMILY, (names) => ({
      other: { meta: META, wait: ['a'], jobs: { a: stored(childOf(names.main, 'q')) } },
    })),
    flowCase('of a parent that exists and waits for children', FAMILY, () => ({
      main: {
        meta: META,
        'waiting-children': { p: 5 },
        jobs: { p: stored() },
        'p:dependencies': ['x'],
      },
    })),
    flowCase('of a parent that exists and has completed', FAMILY, () => ({
      main: { meta: META, completed: { p: 5 }, jobs: { p: stored() } },
    })),
  ],
};
