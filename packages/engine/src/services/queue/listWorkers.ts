import { InvalidRequest } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { type ListedWorker, readWorker, sessionsOf } from '../../workers/listed-workers.js';
import { readMethod } from '../unary-method.js';
import { cached } from './cached.js';
import { clientName } from './client-name.js';
import type { QueueDeps } from './named-job.js';
import { globEscape, scanKeys } from './scan-keys.js';

/** How old the list of queues that have workers may be: a SCAN walks the whole store. */
const FRESH_MS = 5_000;
const INDEX = ':meta:workers:index';

/**
 * QueueService.ListWorkers: the sessions that were noted in the last 30 s, in no certain order that lasts. Without a
 * queue those of all queues that the caller may read; each shows of itself what the caller may read.
 */
export function listWorkers(deps: QueueDeps): QueueApi['listWorkers'] {
  const queuesNow = cached(deps.clock, FRESH_MS, () => queuesWithWorkers(deps));
  return readMethod(deps, async ({ queue, pageSize: size, pageToken: token }, context) => {
    const list = ['workers', queue];
    const [after = ''] = pagePosition(token, list) ?? [];
    if (typeof after !== 'string') {
      throw new InvalidRequest('page_token', 'is no token of this list');
    }
    const count = pageSize(size, deps.limits);
    const mayRead = context.mayRead ?? (() => true);
    const names = queue === '' ? (await queuesNow()).filter(mayRead) : [queue];
    const sessions = await sessionsOf(
      deps,
      names.map((name) => deps.names.resolve(name)),
    );
    const rest = [...sessions].filter(([id]) => id > after).sort(([a], [b]) => (a < b ? -1 : 1));
    const page = rest.slice(0, count);
    const last = page.at(-1)?.[0];
    const workers = await Promise.all(page.map(([id, queues]) => readWorker(deps, id, queues)));
    return {
      sessions: workers
        .filter((worker) => worker !== undefined)
        .map((worker) => shown(worker, mayRead)),
      nextPageToken: last !== undefined && rest.length > count ? pageToken(list, [last]) : '',
    };
  });
}

function shown(worker: ListedWorker, mayRead: (queue: string) => boolean): ListedWorker {
  return {
    ...worker,
    queues: worker.queues.filter(mayRead),
    held: worker.held.filter(({ queue }) => mayRead(queue)),
  };
}

async function queuesWithWorkers({ store, names }: QueueDeps): Promise<string[]> {
  const head = `${names.prefix}:`;
  const keys = await scanKeys(store.redis, `${globEscape(head)}*${INDEX}`);
  const stored = [...keys].map((key) => key.slice(head.length, -INDEX.length));
  const queues = stored.map((name) => clientName(names, name));
  return queues.filter((name) => {
    try {
      names.resolve(name);
      return true;
    } catch {
      // A key below something that is no queue of ours.
      return false;
    }
  });
}
