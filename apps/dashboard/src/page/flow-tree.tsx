import type { FlowNode, JobRow } from './answers.js';
import { count, stateWord, visible } from './format.js';
import { queueHref } from './route.js';

/** The flow that a job is part of, from its top. */
export function FlowTree({ root, here }: { root: FlowNode; here: Pick<JobRow, 'queue' | 'id'> }) {
  return (
    <ul class="flow">
      <Node node={root} here={here} />
    </ul>
  );
}

function Node({ node, here }: { node: FlowNode; here: Pick<JobRow, 'queue' | 'id'> }) {
  const { queue, id, name, state, more, children } = node;
  const current = queue === here.queue && id === here.id;
  const tab = state === 'unknown' ? 'waiting' : state;
  return (
    <li>
      <a href={queueHref(queue, tab, id)} {...(current ? { 'aria-current': 'true' as const } : {})}>
        <i class={`dot ${state}`} aria-hidden="true" />
        {visible(name) || '(no name)'} <small>{visible(id)}</small>
        <small class="state">
          {queue === here.queue ? '' : `in ${visible(queue)}, `}
          {stateWord(state)}
        </small>
      </a>
      {(children.length > 0 || more > 0) && (
        <ul>
          {children.map((child) => (
            <Node key={`${child.queue} ${child.id}`} node={child} here={here} />
          ))}
          {more > 0 && <li class="muted">{count(more)} more</li>}
        </ul>
      )}
    </li>
  );
}
