import { inspectJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';
import type { LocationName } from './inspectLocation.js';

/** What is true of an id at one instant. */
export interface JobFacts {
  /** `other`: something that is no job stands where its hash would. */
  readonly kind: 'job' | 'none' | 'other';
  /** When its last run began, as stored; empty: never. */
  readonly processedOn: string;
  readonly locked: boolean;
  /** Every place that holds it, and how often. */
  readonly places: readonly { readonly name: LocationName; readonly count: number }[];
}

/** Reads them in one script, which walks the lists: some ms where they hold hundreds of thousands. */
export async function inspectJob(store: Store, queue: QueueKeys, id: string): Promise<JobFacts> {
  const reply = await store.run(script, { job: queue.job(id) }, { prefix: queue.base, id });
  const [kind, processedOn, locked, ...held] = rows(script, reply).map(String);
  const places = held.flatMap((name, at) =>
    at % 2 === 0 ? [{ name: name as LocationName, count: Number(held[at + 1]) }] : [],
  );
  return {
    kind: kind as JobFacts['kind'],
    processedOn: processedOn ?? '',
    locked: locked === '1',
    places,
  };
}
