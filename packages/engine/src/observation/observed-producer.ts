import { type AddedFlowNode, AddOutcome } from '@echomq/proto/messages';
import type { EngineObserver } from '../ports.js';
import type { ProducerApi } from '../service.js';

/** A job came to be. */
const NEW: ReadonlySet<AddOutcome> = new Set([
  AddOutcome.CREATED,
  AddOutcome.REPLACED,
  AddOutcome.QUEUED_AS_NEXT,
]);

/** The same service, whose adds are counted. */
export function observedProducer(api: ProducerApi, observer: EngineObserver): ProducerApi {
  return {
    ...api,
    addJob: async (request, context) => {
      const response = await api.addJob(request, context);
      if (!response.replayed && NEW.has(response.outcome)) observer.jobsAdded(request.queue, 1);
      return response;
    },
    addJobs: async (request, context) => {
      const response = await api.addJobs(request, context);
      // Of a repeated request nobody knows which of its jobs this call has added.
      if (response.duplicateRequest) return response;
      response.results.forEach(({ result }, i) => {
        if (result?.$case !== 'added' || !NEW.has(result.value.outcome)) return;
        observer.jobsAdded(request.items[i]?.queue || request.queue, 1);
      });
      return response;
    },
    addFlow: async (request, context) => {
      const response = await api.addFlow(request, context);
      if (response.root && !response.replayed) countNodes(response.root, observer);
      return response;
    },
  };
}

function countNodes(root: AddedFlowNode, observer: EngineObserver): void {
  const nodes = [root];
  for (const { queue, children } of nodes) {
    observer.jobsAdded(queue, 1);
    nodes.push(...children);
  }
}
