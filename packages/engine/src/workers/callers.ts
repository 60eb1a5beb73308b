import type { Clock } from '../ports.js';
import type { WorkerNote } from './worker-note.js';

/** Workers without a stream that are remembered. */
const MAX_KNOWN = 10_000;

/** What a call tells: its worker, and of each queue that it names what is held, if it says that. */
export interface CallNote extends Omit<WorkerNote, 'heardMsAgo' | 'queues'> {
  readonly queue: WorkerNote['queues'][number]['queue'];
  /** Absent: it does not say; what the worker said last counts. */
  readonly held?: readonly string[] | undefined;
}

/** What is known of a worker without a stream, in one queue. */
interface Known {
  dueAt: number;
  held: readonly string[];
  load: WorkerNote['load'];
}

/** A call under way. */
interface Call {
  readonly digest: string;
  readonly note: CallNote;
  readonly beganAt: number;
}

/** The workers without a stream: each is heard with its calls and noted at most once in a while. */
export class Callers {
  readonly #known = new Map<string, Known>();
  readonly #underWay = new Set<Call>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly everyMs: number,
  ) {}

  /** Whether calls are under way. */
  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /** A call begins. Returns what is to be noted now, if anything, and what to call at its end. */
  begin(digest: string, note: CallNote): { readonly due?: WorkerNote; readonly end: () => void } {
    const call = { digest, note, beganAt: this.clock.now() };
    const known = this.#knownOf(call);
    if (note.held) known.held = note.held;
    if (note.load) known.load = note.load;
    this.#underWay.add(call);
    const due = this.#due(call);
    return { ...(due ? { due } : {}), end: () => this.#underWay.delete(call) };
  }

  /** Those that wait and are due again. */
  due(): { readonly digest: string; readonly note: WorkerNote }[] {
    return [...this.#underWay].flatMap((call) => {
      const note = this.#due(call);
      return note ? [{ digest: call.digest, note }] : [];
    });
  }

  #due(call: Call): WorkerNote | undefined {
    const now = this.clock.now();
    const known = this.#knownOf(call);
    if (known.dueAt > now) return undefined;
    known.dueAt = now + this.everyMs;
    const { worker, queue, lagMs } = call.note;
    const { load, held } = known;
    return { worker, heardMsAgo: now - call.beganAt, load, lagMs, queues: [{ queue, held }] };
  }

  #knownOf({ digest, note }: Call): Known {
    const key = `${digest} ${note.queue.keys.base}`;
    let known = this.#known.get(key);
    if (!known) {
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      known = { dueAt: 0, held: [], load: undefined };
      this.#known.set(key, known);
    }
    return known;
  }
}
