/**
 * The rules of leases, receipts and adoption as a small executable model: jobs of one queue, two gateways, one worker
 * session whose replies can be lost. It knows no clock, no wire and no store; it is the oracle for both.
 */

/** Jobs that the worker may have in hand. */
export const WINDOW = 2;

/** Where a job is. `by`: the report that ended it. */
export type Place =
  | { readonly at: 'wait' }
  | { readonly at: 'active'; readonly token: string }
  | { readonly at: 'done'; readonly by: number };

/** A job in the worker's hands: it runs, or its report is on its way. */
export interface InHand {
  readonly jobId: string;
  readonly token: string;
  report?: number;
}

/** What a gateway knows of the session. */
interface Stream {
  epoch: number;
  /** Open as far as the gateway knows. */
  open: boolean;
  /** Leases that it vouches for, by token; `accepted` once a heartbeat or report has named them. */
  readonly leases: Map<string, { readonly jobId: string; accepted: boolean }>;
}

/** What is answered to a report. */
export type Answer = 'stored' | 'stored before' | 'refused';

/** A rule was broken. */
export class Violation extends Error {}

/** The state of everything, and the rules by which it changes. */
export class World {
  readonly jobs = new Map<string, Place>();
  /** Who owns an active job; none once the lock has lapsed. */
  readonly locks = new Map<string, string>();
  /** The store's receipts of the session: the answer that is given again. */
  readonly receipts = new Map<number, Answer>();
  /** How often each job was ended. */
  readonly ends = new Map<string, number>();
  readonly gateways: (Stream | undefined)[] = [undefined, undefined];

  /** The worker: its session, the gateway that it has a stream with, what it holds and has reported. */
  readonly hands = new Map<string, InHand>();
  epoch = -1;
  connected: number | undefined;
  reports = 0;
  acked = 0;
  readonly #answered = new Set<number>();
  readonly #stored = new Set<number>();
  /** Jobs that may go back: taken with an end whose answer was lost, and given again with it to a full window. */
  readonly #mayReturn = new Map<string, string>();

  /** A job is added. */
  add(jobId: string): void {
    this.jobs.set(jobId, { at: 'wait' });
  }

  waiting(): string[] {
    return this.#at('wait');
  }

  active(): string[] {
    return this.#at('active');
  }

  done(): string[] {
    return this.#at('done');
  }

  /** Jobs that the worker's gateway may hand to it now. */
  get room(): number {
    const stream = this.#stream();
    return stream ? Math.min(WINDOW - stream.leases.size, this.waiting().length) : 0;
  }

  /** The worker opens a stream and says what it holds. What is adopted, or `superseded`. */
  open(gateway: number, epoch: number): readonly string[] | 'superseded' {
    const before = this.gateways[gateway];
    if (before && (epoch < before.epoch || (before.open && epoch === before.epoch))) {
      return 'superseded';
    }
    // A stream ends with the link; the one that is left behind at another gateway too.
    if (this.connected !== undefined) this.cut();
    this.epoch = epoch;
    this.connected = gateway;
    const held = [...this.hands.values()];
    const adopted = held.filter(({ jobId, token }) => this.locks.get(jobId) === token);
    const leases: Stream['leases'] = new Map(
      adopted.map(({ jobId, token }) => [token, { jobId, accepted: true }]),
    );
    // What the stream before vouched for and the worker does not name goes back.
    for (const [token, { jobId }] of before?.leases ?? []) {
      if (!leases.has(token)) this.#release(jobId, token);
    }
    this.gateways[gateway] = { epoch, open: true, leases };
    // The others are no longer run; their reports, if there are some, are sent again all the same.
    for (const { token, report } of held) {
      if (!leases.has(token) && report === undefined) this.hands.delete(token);
    }
    return adopted.map(({ token }) => token);
  }

  /** The gateway hands a job to the worker. @throws Violation where somebody may be running it */
  deliver(jobId: string, token: string): void {
    const stream = this.#stream();
    if (!stream) throw new Violation(`${jobId} is delivered without a stream`);
    const place = this.jobs.get(jobId);
    // One that was taken in the same step as an end whose answer was lost comes with that answer, under its token.
    const again = place?.at === 'active' && place.token === token && !this.hands.has(token);
    if (place?.at !== 'wait' && !(again && this.locks.get(jobId) === token)) {
      throw new Violation(`${jobId} is delivered while it is ${JSON.stringify(place)}`);
    }
    if (!again && [...this.locks.values()].includes(token)) {
      throw new Violation('a token is used twice');
    }
    this.jobs.set(jobId, { at: 'active', token });
    this.locks.set(jobId, token);
    stream.leases.set(token, { jobId, accepted: false });
    this.hands.set(token, { jobId, token });
    if (stream.leases.size > WINDOW) throw new Violation('more is in flight than the window');
  }

  /** A job went back that the gateway got again with an old answer, and had no room for. Whether it may. */
  returned(jobId: string): boolean {
    const token = this.#mayReturn.get(jobId);
    if (token === undefined || this.locks.get(jobId) !== token || this.hands.has(token))
      return false;
    this.#mayReturn.delete(jobId);
    this.#release(jobId, token);
    return true;
  }

  /** A heartbeat names all that is held: it is accepted. */
  beat(): void {
    const stream = this.#stream();
    for (const token of this.hands.keys()) {
      const lease = stream?.leases.get(token);
      if (lease) lease.accepted = true;
    }
    this.#tidy();
  }

  /** The worker reports the end of a run; the number of the report. */
  begin(token: string): number {
    const held = this.hands.get(token);
    if (!held) throw new Error('the worker does not hold it');
    this.reports += 1;
    held.report = this.reports;
    return this.reports;
  }

  /** A report reaches the gateway of the stream, for the first time or again. */
  report(reportId: number, jobId: string, token: string): Answer {
    const stream = this.#stream();
    this.#tidy();
    const known = this.receipts.get(reportId);
    if (known) {
      if (known === 'stored') this.#giveAgain();
      return known === 'stored' ? 'stored before' : known;
    }
    stream?.leases.delete(token);
    const place = this.jobs.get(jobId);
    if (place?.at !== 'active' || this.locks.get(jobId) !== token) {
      if (this.#stored.has(reportId))
        throw new Violation(`report ${reportId} was stored and is refused`);
      return 'refused';
    }
    this.#stored.add(reportId);
    this.locks.delete(jobId);
    this.jobs.set(jobId, { at: 'done', by: reportId });
    this.ends.set(jobId, (this.ends.get(jobId) ?? 0) + 1);
    this.receipts.set(reportId, 'stored');
    return 'stored';
  }

  /** The worker has the answer. */
  answered(reportId: number, token: string): void {
    this.hands.delete(token);
    this.#stream()?.leases.delete(token);
    this.#answered.add(reportId);
    while (this.#answered.has(this.acked + 1)) this.acked += 1;
  }

  /** The link breaks, and the gateway notices: what was not accepted goes back, the rest is vouched for. */
  cut(): void {
    const stream = this.#stream();
    this.connected = undefined;
    if (!stream) return;
    stream.open = false;
    for (const [token, { jobId, accepted }] of [...stream.leases]) {
      if (accepted) continue;
      stream.leases.delete(token);
      this.#release(jobId, token);
    }
    // The worker forgets what it has not said to run.
    for (const { token, jobId, report } of [...this.hands.values()]) {
      if (report === undefined && this.locks.get(jobId) !== token) this.hands.delete(token);
    }
  }

  /** A gateway dies: nothing is given back and nothing vouched for. */
  crash(gateway: number): void {
    if (this.connected === gateway) {
      const unheard = [...(this.gateways[gateway]?.leases ?? [])].filter(
        ([, { accepted }]) => !accepted,
      );
      for (const [token] of unheard) this.hands.delete(token);
      this.connected = undefined;
    }
    this.gateways[gateway] = undefined;
  }

  /** More time passes than a lock lives; a connected worker says all the time what it holds. */
  pass(): void {
    this.beat();
    const stream = this.#stream();
    for (const [jobId, token] of [...this.locks]) {
      if (!stream?.leases.has(token)) this.locks.delete(jobId);
    }
    this.gateways.forEach((each, at) => {
      if (each && !each.open) this.gateways[at] = undefined;
    });
  }

  /** The stalled sweep: an active job without a lock goes back. */
  sweep(): void {
    for (const jobId of this.active()) {
      if (!this.locks.has(jobId)) this.jobs.set(jobId, { at: 'wait' });
    }
  }

  /** What must hold at any time. @throws Violation */
  check(): void {
    for (const [jobId, times] of this.ends) {
      if (times > 1) throw new Violation(`${jobId} has ended ${times} times`);
    }
    for (const jobId of this.locks.keys()) {
      if (this.jobs.get(jobId)?.at !== 'active')
        throw new Violation(`${jobId} is locked and not active`);
    }
    if (this.receipts.size > WINDOW) throw new Violation('more receipts than the window');
    const owned = [...this.hands.values()].filter(
      ({ jobId, token }) => this.locks.get(jobId) === token,
    );
    if (new Set(owned.map(({ jobId }) => jobId)).size < owned.length) {
      throw new Violation('a job is run twice at once');
    }
  }

  #at(at: Place['at']): string[] {
    return [...this.jobs].filter(([, place]) => place.at === at).map(([jobId]) => jobId);
  }

  #stream(): Stream | undefined {
    return this.connected === undefined ? undefined : this.gateways[this.connected];
  }

  /** What the worker has acknowledged is deleted with the next thing that it says. */
  #tidy(): void {
    for (const reportId of this.receipts.keys()) {
      if (reportId <= this.acked) this.receipts.delete(reportId);
    }
  }

  /** With an old answer comes what was taken in its step, if nobody has it. */
  #giveAgain(): void {
    for (const [jobId, token] of this.locks) {
      const vouched = this.gateways.some((each) => each?.leases.has(token));
      if (!vouched && !this.hands.has(token)) this.#mayReturn.set(jobId, token);
    }
  }

  /** Gives a job back, if it is still that one's. */
  #release(jobId: string, token: string): void {
    if (this.locks.get(jobId) !== token) return;
    this.locks.delete(jobId);
    this.jobs.set(jobId, { at: 'wait' });
  }
}
