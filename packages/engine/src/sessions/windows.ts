/** What a subscription may have in flight. */
export interface WindowSize {
  readonly maxJobs: number;
  /** Bytes of deliveries; absent: not bounded here. */
  readonly maxBytes?: number;
}

interface Window {
  readonly queue: string;
  readonly weight: number;
  maxJobs: number;
  maxBytes: number;
  inFlight: number;
  bytes: number;
  /** Fetches under way. */
  pending: number;
  /** Size of a typical delivery: what a fetch under way is expected to bring. */
  typicalBytes: number;
  /** A job of so many bytes did not fit: none is fetched until it would. */
  neededBytes: number;
  /** Nobody expects a job of this queue soon: it contends for no slot. */
  idle: boolean;
  credit: number;
}

/**
 * The slots of a stream: per queue by count and bytes, over all queues by count. Where queues contend for the slots of
 * the stream their weights decide (smooth weighted round robin).
 */
export class Windows {
  readonly #windows = new Map<string, Window>();
  readonly #total: number | undefined;
  #capacity: number | undefined;
  #inFlight = 0;
  #pending = 0;
  #holder: Window | undefined;

  /**
   * @param total bound over all queues; absent: the sum of the windows.
   */
  constructor(total?: number) {
    this.#total = total;
  }

  /** Adds a queue. */
  subscribe(queue: string, size: WindowSize, weight = 1): void {
    this.#windows.set(queue, {
      queue,
      weight: Math.max(1, weight),
      maxJobs: size.maxJobs,
      maxBytes: size.maxBytes ?? Number.POSITIVE_INFINITY,
      inFlight: 0,
      bytes: 0,
      pending: 0,
      typicalBytes: 1_024,
      neededBytes: 0,
      idle: false,
      credit: 0,
    });
  }

  /** The queues, in the order of their subscription. */
  get queues(): readonly string[] {
    return [...this.#windows.keys()];
  }

  /** Sets a window anew. False for a queue that is not subscribed. */
  resize(queue: string, size: WindowSize): boolean {
    const window = this.#windows.get(queue);
    if (!window) return false;
    window.maxJobs = size.maxJobs;
    window.maxBytes = size.maxBytes ?? Number.POSITIVE_INFINITY;
    return true;
  }

  /** Bounds all queues by what the worker can run at once; `undefined`: no bound of its own. */
  limitTo(capacity: number | undefined): void {
    this.#capacity = capacity;
  }

  /** Whether a slot that one queue frees may be another's. */
  get shared(): boolean {
    return this.#windows.size > 1 && this.#bound() !== Number.POSITIVE_INFINITY;
  }

  /** Jobs in flight, of one queue or of all. */
  inFlight(queue?: string): number {
    return queue === undefined ? this.#inFlight : (this.#windows.get(queue)?.inFlight ?? 0);
  }

  /** How many jobs the worker runs at once, over all queues; `undefined`: it does not say. */
  get capacity(): number | undefined {
    return this.#capacity;
  }

  /** Whether the next job would be one beyond what the worker runs at once, when so many of those now have ended. */
  isBeyond(ended = 0): boolean {
    return this.#inFlight + this.#pending - ended >= (this.#capacity ?? Number.POSITIVE_INFINITY);
  }

  /** Slots of this queue without a job: nothing for them is here yet, be it on its way or not. */
  slots(queue: string): number {
    const window = this.#windows.get(queue);
    if (!window) return 0;
    return Math.max(0, Math.min(window.maxJobs - window.inFlight, this.#bound() - this.#inFlight));
  }

  /**
   * How many fetches of this queue may begin now.
   *
   * @param spare jobs beyond what the worker runs at once that it may hold.
   */
  want(queue: string, spare = 0): number {
    const window = this.#windows.get(queue);
    if (!window) return 0;
    const free = this.#free(spare);
    const room = Math.min(roomOf(window), free);
    if (room <= 0 || window.idle) return Math.max(0, room);
    return this.#contended(free) ? Number(this.#turn() === window) : room;
  }

  /** Whose turn the next free slot is, where queues contend for it. */
  turn(spare = 0): string | undefined {
    const free = this.#free(spare);
    return free > 0 && this.#contended(free) ? this.#turn()?.queue : undefined;
  }

  /** A fetch begins. */
  begin(queue: string): void {
    const window = this.#windows.get(queue);
    if (!window) return;
    window.pending++;
    this.#pending++;
    if (this.#holder === window) this.#spendTurn();
  }

  /** A fetch has come back, with a job or without. */
  end(queue: string): void {
    const window = this.#windows.get(queue);
    if (!window) return;
    window.pending--;
    this.#pending--;
  }

  /** Whether a job that was fetched fits now. One that would never fit fits an empty window. */
  fits(queue: string, bytes: number, buffered = false): boolean {
    const window = this.#windows.get(queue);
    if (!window) return false;
    const bound = this.#bound(buffered ? this.#capacity : 0);
    if (window.inFlight >= window.maxJobs || this.#inFlight >= bound) return false;
    const fits = window.bytes + bytes <= window.maxBytes || window.inFlight === 0;
    window.neededBytes = fits ? 0 : bytes;
    return fits;
  }

  /**
   * A job is in flight now: delivered, or adopted after a reconnect. Adopted ones may exceed the window; what is in
   * flight then must fall below it first.
   */
  add(queue: string, bytes: number): void {
    const window = this.#windows.get(queue);
    this.#inFlight++;
    if (!window) return;
    window.inFlight++;
    window.bytes += bytes;
    window.typicalBytes = Math.ceil((window.typicalBytes * 7 + bytes) / 8);
  }

  /** It is no longer. */
  remove(queue: string, bytes: number): void {
    const window = this.#windows.get(queue);
    this.#inFlight--;
    if (!window) return;
    window.inFlight--;
    window.bytes -= bytes;
  }

  /**
   * Whether the slot of a job that is about to end is to be filled in the same step. It is the ending job's until then,
   * so nothing else is counted for it.
   */
  refills(queue: string, endingBytes: number, spare = 0): boolean {
    const window = this.#windows.get(queue);
    if (!window) return false;
    // As if it had ended already.
    this.remove(queue, endingBytes);
    const may = this.want(queue, spare) > 0;
    window.inFlight++;
    window.bytes += endingBytes;
    this.#inFlight++;
    if (may && this.#holder === window) this.#spendTurn();
    return may;
  }

  /** A queue that has nothing for now contends for no slot. */
  setIdle(queue: string, idle: boolean): void {
    const window = this.#windows.get(queue);
    if (!window) return;
    window.idle = idle;
    if (idle && this.#holder === window) this.#holder = undefined;
  }

  #bound(spare = 0): number {
    const capacity = (this.#capacity ?? Number.POSITIVE_INFINITY) + spare;
    return Math.min(this.#total ?? Number.POSITIVE_INFINITY, capacity);
  }

  #free(spare: number): number {
    return this.#bound(spare) - this.#inFlight - this.#pending;
  }

  #contended(free: number): boolean {
    if (this.#windows.size < 2) return false;
    let asked = 0;
    let rivals = 0;
    for (const window of this.#windows.values()) {
      const room = window.idle ? 0 : roomOf(window);
      if (room > 0) rivals++;
      asked += Math.max(0, room);
    }
    return rivals > 1 && asked > free;
  }

  #turn(): Window | undefined {
    if (this.#holder && !this.#holder.idle && roomOf(this.#holder) > 0) return this.#holder;
    let best: Window | undefined;
    for (const window of this.#windows.values()) {
      if (window.idle || roomOf(window) <= 0) continue;
      if (!best || window.credit + window.weight > best.credit + best.weight) best = window;
    }
    this.#holder = best;
    return best;
  }

  #spendTurn(): void {
    const holder = this.#holder;
    if (!holder) return;
    let total = 0;
    for (const window of this.#windows.values()) {
      if (window.idle) continue;
      window.credit += window.weight;
      total += window.weight;
    }
    holder.credit -= total;
    this.#holder = undefined;
  }
}

/** Jobs that a window has room for, those under way counted. */
function roomOf(window: Window): number {
  const jobs = window.maxJobs - window.inFlight - window.pending;
  if (window.maxBytes === Number.POSITIVE_INFINITY) return jobs;
  const held = window.inFlight + window.pending;
  if (held === 0) return jobs > 0 ? 1 : 0;
  const expected = window.pending * window.typicalBytes;
  const bytes = window.maxBytes - window.bytes - expected;
  if (bytes < window.neededBytes) return 0;
  const typical = Math.floor(bytes / window.typicalBytes);
  return Math.min(jobs, Math.max(typical, window.neededBytes > 0 ? 1 : 0));
}
