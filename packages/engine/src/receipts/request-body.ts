import {
  AddFlowRequest,
  AddJobLogsRequest,
  AddJobRequest,
  AddJobsRequest,
  AppendLogsRequest,
  FetchJobsRequest,
  type FetchNext,
  FinishJobRequest,
  FinishJobsRequest,
  type FlowNode,
  type JobOptions,
  WorkReport,
} from '@echomq/proto/messages';

/**
 * What of a request must be the same when it comes again, as the bytes of a message: all but its id, who sends it, and
 * for how long the sender waits. Maps are in the order of their keys, for not every language repeats its own.
 */
export const bodyOf = {
  addJob: (request: AddJobRequest): Uint8Array =>
    AddJobRequest.encode(sorted({ ...request, requestId: '' })).finish(),

  addJobs: (request: AddJobsRequest): Uint8Array => {
    const items = request.items.map(sorted);
    return AddJobsRequest.encode({ ...request, items, requestId: '' }).finish();
  },

  addFlow: (request: AddFlowRequest): Uint8Array => {
    const root = request.root && sortedTree(request.root);
    return AddFlowRequest.encode({ ...request, root, requestId: '' }).finish();
  },

  fetchJobs: (request: FetchJobsRequest): Uint8Array => {
    const unsaid = { requestId: '', worker: undefined, wait: undefined, held: [] };
    return FetchJobsRequest.encode({ ...request, ...unsaid }).finish();
  },

  finishJob: (request: FinishJobRequest): Uint8Array => {
    const unsaid = { requestId: '', worker: undefined, fetchNext: unhurried(request.fetchNext) };
    return FinishJobRequest.encode({ ...request, ...unsaid }).finish();
  },

  finishJobs: (request: FinishJobsRequest): Uint8Array => {
    const unsaid = { requestId: '', worker: undefined, fetchNext: unhurried(request.fetchNext) };
    return FinishJobsRequest.encode({ ...request, ...unsaid }).finish();
  },

  appendLogs: (request: AppendLogsRequest): Uint8Array =>
    AppendLogsRequest.encode({ ...request, requestId: '' }).finish(),

  addJobLogs: (request: AddJobLogsRequest): Uint8Array =>
    AddJobLogsRequest.encode({ ...request, requestId: '' }).finish(),

  report: (report: WorkReport): Uint8Array =>
    WorkReport.encode({ ...report, reportId: 0, ackedThrough: 0 }).finish(),
};

function unhurried(next: FetchNext | undefined): FetchNext | undefined {
  return next && { ...next, wait: undefined };
}

function sorted<Item extends { readonly options: JobOptions | undefined }>(item: Item): Item {
  const { options } = item;
  if (!options) return item;
  const headers = Object.entries(options.headers).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...item, options: { ...options, headers: Object.fromEntries(headers) } };
}

function sortedTree(node: FlowNode): FlowNode {
  return { ...sorted(node), children: node.children.map(sortedTree) };
}
