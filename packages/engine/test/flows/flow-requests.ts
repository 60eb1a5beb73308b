import { AddFlowRequest, type FlowNode } from '@echomq/proto/messages';
import { frozen } from '../use-services.js';

type Part = Parameters<typeof AddFlowRequest.fromPartial>[0];
/** A node of a flow with its defaults. */
export type NodePart = NonNullable<Part['root']>;

/** A node of a queue. */
export function node(
  queue: { readonly name: string },
  name: string,
  more: NodePart = {},
): NodePart {
  return { queue: queue.name, name, ...more };
}

/** An add of a flow; frozen, as embedded callers may send it. */
export function flowOf(root: NodePart | undefined, more: Omit<Part, 'root'> = {}): AddFlowRequest {
  return frozen(AddFlowRequest.fromPartial({ ...(root ? { root } : {}), ...more }));
}

/** A chain of so many levels below its root, built without recursion. */
export function chain(queue: { readonly name: string }, levels: number): FlowNode {
  const one = (children: FlowNode[]): FlowNode => ({
    queue: queue.name,
    name: 'n',
    data: Buffer.alloc(0),
    options: undefined,
    children,
  });
  let top = one([]);
  for (let i = 0; i < levels; i++) top = one([top]);
  return top;
}
