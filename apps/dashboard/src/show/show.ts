import type { Asked } from '../change/change.js';
import { type ErrorAnswer, Refusal } from '../http/answer.js';
import { isObject } from '../http/read-body.js';
import { Fields } from './fields.js';
import { showJob } from './job.js';
import { showJobs } from './jobs.js';
import { showLogs } from './logs.js';
import { showQueue } from './queue.js';
import { showQueues } from './queues.js';
import { showSchedulers } from './schedulers.js';
import { showWorkers } from './workers.js';

/** Reads a part of what is on the screen. */
type View = (fields: Fields, asked: Asked) => Promise<unknown>;

const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ['queues', showQueues],
  ['queue', showQueue],
  ['jobs', showJobs],
  ['job', showJob],
  ['logs', showLogs],
  ['schedulers', showSchedulers],
  ['workers', showWorkers],
]);

/**
 * Reads what one screen shows, in one request: each view that the body names, with its own fields. A view that is refused
 * does not hide the others.
 */
export async function show(
  body: Readonly<Record<string, unknown>>,
  asked: Asked,
  tell: (error: unknown) => ErrorAnswer,
): Promise<
  Readonly<Record<string, { readonly value: unknown } | { readonly error: ErrorAnswer }>>
> {
  const views = Object.entries(body).map(([name, fields]) => {
    const view = VIEWS.get(name);
    if (!view || !isObject(fields)) throw badView(name);
    return { name, view, fields: new Fields(fields) };
  });
  const shown = await Promise.all(
    views.map(async ({ name, view, fields }) => {
      try {
        return [name, { value: await view(fields, asked) }] as const;
      } catch (error) {
        return [name, { error: tell(error) }] as const;
      }
    }),
  );
  return Object.fromEntries(shown);
}

function badView(name: string): Refusal {
  const message = `${name.slice(0, 64)}: is no view, or its fields are no object`;
  return new Refusal(400, 'INVALID_ARGUMENT', 'INVALID_FIELD', message);
}
