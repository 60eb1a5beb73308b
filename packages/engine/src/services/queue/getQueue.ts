import { msToDuration, type QueueInfo, type QueueLimits } from '@echomq/proto/messages';
import type { NamedQueue } from '../../queue-names.js';
import type { QueueApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { isKnown, queueNotFound } from './known-queue.js';
import type { QueueDeps } from './named-job.js';
import { META, metaCount } from './queue-meta.js';
import { isWrongType } from './stored-jobs.js';

/** QueueService.GetQueue. */
export function getQueue(deps: QueueDeps): QueueApi['getQueue'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const [reply, active, known] = await Promise.all([
      deps.store.command('HGETALL', [queue.keys.meta]),
      countActive(deps, queue),
      isKnown(deps, queue),
    ]);
    if (!known) throw queueNotFound(queue);
    const flat = Array.isArray(reply) ? reply.map(String) : [];
    const meta = new Map<string, string>();
    for (let i = 0; i + 1 < flat.length; i += 2) meta.set(String(flat[i]), String(flat[i + 1]));
    return { queue: queueInfo(queue, meta, active) };
  });
}

/** Active jobs; none where a foreign key stands in the list's place. */
async function countActive({ store }: QueueDeps, { keys }: NamedQueue): Promise<number> {
  try {
    return Number(await store.command('LLEN', [keys.active]));
  } catch (error) {
    if (isWrongType(error)) return 0;
    throw error;
  }
}

function queueInfo(
  queue: NamedQueue,
  meta: ReadonlyMap<string, string>,
  active: number,
): QueueInfo {
  const concurrency = metaCount(meta.get(META.concurrency));
  const max = metaCount(meta.get(META.max));
  const duration = metaCount(meta.get(META.duration));
  const limited = max !== undefined && duration !== undefined;
  return {
    queue: queue.name,
    paused: meta.has(META.paused),
    ...(concurrency === undefined ? {} : { concurrency }),
    rateLimit: limited ? { max, duration: msToDuration(duration) } : undefined,
    limits: limitsOf(meta),
    version: meta.get(META.version) ?? '',
    maxed: concurrency !== undefined && active >= concurrency,
  };
}

function limitsOf(meta: ReadonlyMap<string, string>): QueueLimits | undefined {
  const maxPayloadBytes = metaCount(meta.get(META.maxPayloadBytes));
  const maxJobs = metaCount(meta.get(META.maxJobs));
  const maxEvents = metaCount(meta.get(META.maxEvents));
  const limits = {
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
    ...(maxJobs === undefined ? {} : { maxJobs }),
    ...(maxEvents === undefined ? {} : { maxEvents }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}
