import { EchoMQError } from '@echomq/core';
import { msToDuration, type QueueInfo } from '@echomq/proto/messages';
import type { NamedQueue } from '../../queue-names.js';
import type { QueueApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.GetQueue. */
export function getQueue(deps: QueueDeps): QueueApi['getQueue'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const [reply, known] = await Promise.all([
      deps.store.command('HGETALL', [queue.keys.meta]),
      deps.store.command('EXISTS', evidence(queue)),
    ]);
    if (Number(known) === 0) throw queueNotFound(queue);
    const flat = Array.isArray(reply) ? reply.map(String) : [];
    const meta = new Map<string, string>();
    for (let i = 0; i + 1 < flat.length; i += 2) meta.set(String(flat[i]), String(flat[i + 1]));
    return { queue: queueInfo(queue, meta) };
  });
}

/** The error for a queue to which nothing was ever added and on which nothing was set. */
export function queueNotFound(queue: NamedQueue): EchoMQError {
  return new EchoMQError('there is no such queue', {
    code: 'NOT_FOUND',
    reason: 'QUEUE_NOT_FOUND',
    metadata: { queue: queue.name },
  });
}

/** Keys of which a used queue has one at least, also where a foreign producer wrote no `meta`. */
function evidence({ keys }: NamedQueue): string[] {
  const finished = [keys.completed, keys.failed];
  const waiting = [keys.wait, keys.paused, keys.prioritized, keys.delayed, keys.waitingChildren];
  return [keys.meta, keys.id, keys.active, keys.schedulers, ...waiting, ...finished];
}

function queueInfo(queue: NamedQueue, meta: ReadonlyMap<string, string>): QueueInfo {
  const concurrency = count(meta.get('concurrency'));
  const max = count(meta.get('max'));
  const duration = count(meta.get('duration'));
  const maxEvents = count(meta.get('opts.maxLenEvents'));
  const limited = max !== undefined && duration !== undefined;
  return {
    queue: queue.name,
    paused: meta.has('paused'),
    ...(concurrency === undefined ? {} : { concurrency }),
    rateLimit: limited ? { max, duration: msToDuration(duration) } : undefined,
    limits: maxEvents === undefined ? undefined : { maxEvents },
    version: meta.get('version') ?? '',
  };
}

/** A foreign writer's text that is no count is none. */
function count(text: string | undefined): number | undefined {
  const value = Number(text);
  const usable =
    text !== undefined && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
  return usable ? value : undefined;
}
