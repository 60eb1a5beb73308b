import { randomUUID } from 'node:crypto';
import type { Open, WorkTerms } from '../contender.js';
import { openGateway } from './echomq.js';
import { type Fetched, fetchJobs, finishJobs, unaryClient } from './unary-calls.js';

/** Jobs of one call, as a polyglot worker without the stream would ask for them. */
const BATCH = 50;

/** EchoMQ through a gateway without the stream: FetchJobs and FinishJobs of 50, in as many loops as slots need. */
export const openUnary: Open = async (place, terms) => {
  const opened = await openGateway(place, terms);
  return {
    ...opened,
    work: async (work) => {
      const loops = Math.max(1, Math.floor(work.concurrency / BATCH));
      const ending = new AbortController();
      const running = Array.from({ length: loops }, () => loop(place, { work, ending }));
      return {
        close: async () => {
          ending.abort();
          await Promise.all(running);
        },
      };
    },
  };
};

async function loop(
  { gateway = '', queue }: Parameters<Open>[0],
  { work, ending }: { readonly work: WorkTerms; readonly ending: AbortController },
): Promise<void> {
  const client = unaryClient(gateway);
  const worker = { workerId: 'bench', sessionId: randomUUID() };
  const size = Math.min(BATCH, work.concurrency);
  let jobs: readonly Fetched[] = [];
  while (!ending.signal.aborted || jobs.length > 0) {
    if (jobs.length === 0) jobs = await fetchJobs(client, { queue, worker, maxJobs: size });
    if (jobs.length === 0) continue;
    await Promise.all(jobs.map(({ data }) => work.handler(data)));
    const maxJobs = ending.signal.aborted ? 0 : size;
    jobs = await finishJobs(client, { jobs, worker, maxJobs });
  }
  client.close();
}
