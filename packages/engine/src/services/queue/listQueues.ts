import { EchoMQError, InvalidRequest } from '@echomq/core';
import type { QueueSummary } from '@echomq/proto/messages';
import { cutText } from '../../messages/cut-text.js';
import type { QueueApi } from '../../service.js';
import { pageSize } from '../../validation/page-size.js';
import { pagePosition, pageToken } from '../../validation/page-token.js';
import { readMethod } from '../unary-method.js';
import { cached } from './cached.js';
import { clientName } from './client-name.js';
import type { QueueDeps } from './named-job.js';
import { globEscape, scanKeys } from './scan-keys.js';
import { isWrongType } from './stored-jobs.js';

/** How old the list of names may be: a SCAN walks the whole store. */
const FRESH_MS = 5_000;
/** Bytes of a foreign name that are shown. */
const MAX_SHOWN = 512;

/** A queue by its name, or what looks like one. */
interface Found {
  readonly name: string;
  /** Why no client can reach it; empty: one can. */
  readonly problem: string;
}

/**
 * QueueService.ListQueues, in the order of the names. BullMQ keeps no list of queues: they are found by their `meta` keys.
 * What stands under such a key and is no queue that can be worked with is listed with its problem. A caller learns of
 * no queue that it may not read.
 */
export function listQueues(deps: QueueDeps): QueueApi['listQueues'] {
  const foundNow = cached(deps.clock, FRESH_MS, () => find(deps));
  return readMethod(deps, async (request, context) => {
    const { pageSize: size, pageToken: token, prefixFilter } = request;
    const list = ['queues', prefixFilter];
    const [after = ''] = pagePosition(token, list) ?? [];
    if (typeof after !== 'string')
      throw new InvalidRequest('page_token', 'is no token of this list');
    const count = pageSize(size, deps.limits);
    const rest = (await foundNow()).filter(
      ({ name }) =>
        name > after && name.startsWith(prefixFilter) && (context.mayRead?.(name) ?? true),
    );
    const page = rest.slice(0, count);
    const last = page.at(-1)?.name;
    return {
      queues: await Promise.all(page.map((found) => summary(deps, found))),
      nextPageToken: last !== undefined && rest.length > count ? pageToken(list, [last]) : '',
    };
  });
}

async function summary(deps: QueueDeps, { name, problem }: Found): Promise<QueueSummary> {
  if (problem !== '') return { queue: name, paused: false, problem };
  try {
    const { meta } = deps.names.resolve(name).keys;
    const paused = await deps.store.command('HEXISTS', [meta, 'paused']);
    return { queue: name, paused: paused === 1, problem: '' };
  } catch (error) {
    if (!isWrongType(error)) throw error;
    return { queue: name, paused: false, problem: 'its meta key is no hash' };
  }
}

async function find(deps: QueueDeps): Promise<Found[]> {
  const head = `${deps.names.prefix}:`;
  const keys = await scanKeys(deps.store.redis, `${globEscape(head)}*:meta`);
  const stored = [...keys].map((key) => key.slice(head.length, -':meta'.length));
  const whole = new Set(stored.filter((name) => !name.includes(':')));
  const found = new Map<string, Found>();
  for (const name of stored) {
    // Below a queue such a key is a part of it: a deduplication id or a job of that name.
    const colon = name.indexOf(':');
    if (colon >= 0 && whole.has(name.slice(0, colon))) continue;
    const one = checked(deps, name);
    found.set(one.name, one);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function checked({ names, logger }: QueueDeps, stored: string): Found {
  try {
    return { name: names.resolve(clientName(names, stored)).name, problem: '' };
  } catch (error) {
    if (!(error instanceof EchoMQError)) throw error;
    const name = cutText(stored, MAX_SHOWN);
    const problem = error.message.replace(/^queue: /, 'its name ');
    logger.warn('queue.foreign', { queue: name, problem });
    return { name, problem };
  }
}
