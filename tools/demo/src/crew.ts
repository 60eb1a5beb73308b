import type { Running } from './processes.js';
import type { Stage } from './stage.js';

/** The worker processes of a run. */
export class Crew {
  readonly #members: Running[] = [];
  readonly #starts: Promise<Running>[] = [];
  readonly #giveUp = new AbortController();
  #closing: Promise<readonly string[]> | undefined;

  constructor(
    private readonly stage: Pick<Stage, 'startWorker'>,
    /** Told when a worker ends that should not. */
    private readonly onLost: (error: Error) => void,
  ) {}

  /** Those that were started and have not ended. */
  get alive(): readonly Running[] {
    return this.#members.filter((worker) => worker.alive());
  }

  /** Starts one more. */
  async hire(name: string, language: string): Promise<Running> {
    const start = this.stage.startWorker(name, language, this.#giveUp.signal);
    this.#starts.push(start);
    const worker = await start;
    this.#members.push(worker);
    void worker.ended.then((how) => {
      // SIGKILL comes from the demo alone.
      if (this.#closing || how === 'signal SIGKILL') return;
      this.onLost(new Error([`${name} ended: ${how}`, ...worker.lastLines()].join('\n  ')));
    });
    return worker;
  }

  /**
   * Lets all finish what they hold and end; one that is not ready yet is given up.
   *
   * @returns what went wrong, a line each
   */
  close(): Promise<readonly string[]> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<readonly string[]> {
    // Such a one would go on calling, and the gateway's end wait for it.
    this.#giveUp.abort(new Error('the crew closes'));
    await Promise.allSettled(this.#starts);
    const ends = await Promise.allSettled(this.alive.map((worker) => worker.stop()));
    return ends.flatMap((end) =>
      end.status === 'rejected' ? [(end.reason as Error).message] : [],
    );
  }
}
