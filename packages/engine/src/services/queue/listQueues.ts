import { EchoMQError, InvalidRequest } from '@echomq/core';
import type { NamedQueue } from '../../queue-names.js';
import type { QueueApi } from '../../service.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { readMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';
import { globEscape, scanKeys } from './scan-keys.js';
import { isWrongType } from './stored-jobs.js';

/** How old the list of names may be: a SCAN walks the whole store. */
const FRESH_MS = 5_000;

/**
 * QueueService.ListQueues, in the order of the names. BullMQ keeps no list of queues: they are found by their `meta` keys.
 * What stands under such a key and is no queue is left out, and logged each time it is found.
 */
export function listQueues(deps: QueueDeps): QueueApi['listQueues'] {
  const namesNow = cached(deps, () => scanNames(deps));
  return readMethod(deps, async ({ pageSize: size, pageToken: token, prefixFilter }) => {
    const list = ['queues', prefixFilter];
    const [after = ''] = pagePosition(token, list) ?? [];
    if (typeof after !== 'string')
      throw new InvalidRequest('page_token', 'is no token of this list');
    const count = pageSize(size, deps.limits);
    const rest = (await namesNow()).filter((name) => name > after && name.startsWith(prefixFilter));
    const page = rest.slice(0, count);
    const last = page.at(-1);
    const summaries = await Promise.all(
      page.map((name) => summary(deps, deps.names.resolve(name))),
    );
    return {
      queues: summaries.filter((queue) => queue !== undefined),
      nextPageToken: last !== undefined && rest.length > count ? pageToken(list, [last]) : '',
    };
  });
}

async function summary(deps: QueueDeps, { name, keys }: NamedQueue) {
  try {
    const paused = await deps.store.command('HEXISTS', [keys.meta, 'paused']);
    return { queue: name, paused: paused === 1 };
  } catch (error) {
    if (!isWrongType(error)) throw error;
    deps.logger.warn('foreign_queue', { queue: name, problem: 'its meta key is no hash' });
    return undefined;
  }
}

async function scanNames(deps: QueueDeps): Promise<string[]> {
  const head = `${deps.names.prefix}:`;
  const keys = await scanKeys(deps.store.redis, `${globEscape(head)}*:meta`);
  const named = new Set<string>();
  for (const key of keys) {
    const name = clientName(deps, key.slice(head.length, -':meta'.length));
    if (name !== undefined) named.add(name);
  }
  return [...named].sort();
}

/** The name by which clients reach a queue; `undefined` for one that they cannot. */
function clientName({ names, logger }: QueueDeps, stored: string): string | undefined {
  const inner = /^\{(.+)\}$/.exec(stored)?.[1];
  const name = inner !== undefined && tagsNames(names) ? inner : stored;
  try {
    return names.resolve(name).name;
  } catch (error) {
    if (!(error instanceof EchoMQError)) throw error;
    logger.warn('foreign_queue', { queue: stored.slice(0, 200), problem: error.message });
    return undefined;
  }
}

/** Whether names without braces get them in this store. */
function tagsNames(names: QueueDeps['names']): boolean {
  try {
    return names.resolve('q').keys.name === '{q}';
  } catch {
    return false;
  }
}

/** Keeps a result for {@link FRESH_MS}; calls that come together share one. A failure is not kept. */
function cached<Value>({ clock }: QueueDeps, load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  let loadedAt = 0;
  return () => {
    if (loading && clock.now() - loadedAt < FRESH_MS) return loading;
    loadedAt = clock.now();
    const mine = load();
    loading = mine;
    mine.catch(() => {
      if (loading === mine) loading = undefined;
    });
    return mine;
  };
}
