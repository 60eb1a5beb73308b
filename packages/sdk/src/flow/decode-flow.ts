import type * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { EchoMQError } from '../errors.js';
import { countsOf } from '../job/dependencies.js';
import { Job } from '../job/job.js';
import { recordOfAdd } from '../job/records.js';
import type { FlowTree, JobNode } from './flow-job.js';

const EMPTY_DATA = Buffer.from('{}');

/** A tree that was just added. @param node as it was sent @param added what the server made of it */
export function nodeOfAdd(
  connection: Connection,
  node: pb.FlowNode,
  { added, parent }: { readonly added: pb.AddedFlowNode; readonly parent: pb.JobRef | undefined },
): JobNode {
  const { queue, jobId } = added;
  const data = node.data.length > 0 ? node.data : EMPTY_DATA;
  return {
    job: new Job(connection, recordOfAdd({ ...node, data, parent }, added)),
    children: node.children.map((child, index) => {
      const addedChild = added.children[index];
      if (addedChild === undefined) throw noAnswer();
      return nodeOfAdd(connection, child, { added: addedChild, parent: { queue, jobId } });
    }),
  };
}

/** A tree that was read. */
export function treeOf(connection: Connection, node: pb.FlowTreeNode): FlowTree {
  if (node.job === undefined) throw noAnswer();
  return {
    job: new Job(connection, node.job),
    children: node.children.map((child) => treeOf(connection, child)),
    dependencies: countsOf(node.dependencies),
  };
}

/** The answer does not have the shape of the request. */
export function noAnswer(): EchoMQError {
  return new EchoMQError('the gateway gave no answer for a job of the flow', {
    code: 'INTERNAL',
    reason: '',
  });
}
