import { type Job, JobView } from '@echomq/proto/messages';
import { adminJob, type ShownView } from '../../messages/job.js';
import { fitted, jobSize } from '../../messages/sizes.js';
import type { NamedQueue } from '../../queue-names.js';
import { idsAt, type Location } from './locations.js';
import type { QueueDeps } from './named-job.js';
import { readJob } from './stored-jobs.js';

/** What a page is made of. */
export interface PageQuery {
  readonly queue: NamedQueue;
  readonly locations: readonly Location[];
  readonly view: ShownView;
  /** Only jobs of this name; empty: all. */
  readonly nameFilter: string;
  readonly size: number;
}

/** An entry of a list: of which location, and how far in it. */
export interface Position {
  readonly location: number;
  readonly offset: number;
}

/** Entries looked at for one page, so that a filter that hits little cannot read a whole queue. */
const MAX_LOOKED_AT = 5_000;

/** Jobs read at one time: whole ones may have a megabyte each. */
const CHUNK = { [JobView.BASIC]: 200, [JobView.FULL]: 8 } as const;

/**
 * Collects a page from `start` on. It ends at its size, at the bytes that a message may have, or when enough entries
 * were looked at. `next` is where the list goes on, absent at its end. Ids without a job are passed over.
 */
export async function jobPage(
  deps: QueueDeps,
  query: PageQuery,
  start: Position,
): Promise<{ readonly jobs: Job[]; readonly next: Position | undefined }> {
  const page = new Page(query.size, deps.limits.maxResponseBytes);
  let at = start;
  let lookedAt = 0;
  while (at.location < query.locations.length && !page.full && lookedAt < MAX_LOOKED_AT) {
    const location = query.locations[at.location] as Location;
    const count = chunkSize(query, page);
    const ids = await idsAt(deps, query.queue, location, { first: at.offset, count });
    const taken = await takeJobs(deps, query, location, { ids, page });
    lookedAt += ids.length;
    const ended = taken === ids.length && ids.length < count;
    at = ended
      ? { location: at.location + 1, offset: 0 }
      : { location: at.location, offset: at.offset + taken };
  }
  return { jobs: page.jobs, next: await nextEntry(deps, query, at) };
}

function chunkSize({ view, nameFilter, size }: PageQuery, page: Page): number {
  return nameFilter === '' ? Math.min(CHUNK[view], size - page.jobs.length) : CHUNK[view];
}

/** Reads the jobs of some ids and puts them on the page; returns how many ids were dealt with. */
async function takeJobs(
  deps: QueueDeps,
  { queue, view, nameFilter }: PageQuery,
  { state }: Location,
  { ids, page }: { readonly ids: readonly string[]; readonly page: Page },
): Promise<number> {
  const reads = await Promise.all(ids.map((id) => readJob(deps, queue, id, view)));
  for (const [i, read] of reads.entries()) {
    if (!read || (nameFilter !== '' && read.job.name !== nameFilter)) continue;
    const job = adminJob(queue, read.job, { state, view, dataSize: read.dataSize });
    if (!page.add(job)) return i;
  }
  return ids.length;
}

/** Where the next entry stands, or `undefined` when there is none. */
async function nextEntry(
  deps: QueueDeps,
  { queue, locations }: PageQuery,
  from: Position,
): Promise<Position | undefined> {
  let { offset } = from;
  for (let location = from.location; location < locations.length; location++) {
    const here = locations[location] as Location;
    const ids = await idsAt(deps, queue, here, { first: offset, count: 1 });
    if (ids.length > 0) return { location, offset };
    offset = 0;
  }
  return undefined;
}

/** Jobs up to a number and to a number of bytes; the first always finds room, without its bodies if it must. */
class Page {
  readonly jobs: Job[] = [];
  #bytes = 0;

  constructor(
    private readonly size: number,
    private readonly budget: number,
  ) {}

  get full(): boolean {
    return this.jobs.length >= this.size || this.#bytes >= this.budget;
  }

  /** False: there is no room, and the page is full. */
  add(job: Job): boolean {
    if (this.full) return false;
    const bytes = jobSize(job);
    if (this.#bytes + bytes > this.budget) {
      if (this.jobs.length > 0) {
        this.#bytes = this.budget;
        return false;
      }
      this.jobs.push(fitted(job, this.budget));
      this.#bytes += bytes;
      return true;
    }
    this.jobs.push(job);
    this.#bytes += bytes;
    return true;
  }
}
