import { type Collected, collect } from '@echomq/testkit';
import { onTestFinished } from 'vitest';
import { type Queue, QueueEvents, type QueueEventsOptions } from '../src/index.js';

/** What was told: the event's name, then what its listeners got. */
export type Told = readonly [name: string, ...args: unknown[]];

const NAMES = [
  ...([
    'added',
    'waiting',
    'active',
    'delayed',
    'waiting-children',
    'completed',
    'failed',
  ] as const),
  ...(['retries-exhausted', 'stalled', 'progress', 'removed', 'duplicated'] as const),
  ...(['deduplicated', 'debounced', 'drained', 'cleaned', 'paused', 'resumed'] as const),
  ...(['unknown', 'gap', 'ready', 'disconnected', 'error'] as const),
];

/** The events of a queue, closed with the test, and all that they tell in order. */
export function listenTo(
  { name, connection }: Pick<Queue, 'name' | 'connection'>,
  options: Partial<QueueEventsOptions> = {},
): { readonly queueEvents: QueueEvents; readonly told: Collected<Told> } {
  const queueEvents = new QueueEvents(name, { connection, ...options });
  onTestFinished(() => queueEvents.close());
  const told = collect<Told>('events');
  for (const event of NAMES) {
    queueEvents.on(event, (...args: unknown[]) => told.push([event, ...args]));
  }
  return { queueEvents, told };
}

/** What was told of the queue, without the ids of the events. */
export function withoutIds(told: readonly Told[]): unknown[][] {
  return told
    .filter(([name]) => name !== 'ready')
    .map(([name, ...args]) => [name, ...args.slice(0, -1)]);
}
