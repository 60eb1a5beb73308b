import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type FullHouse, flowTree, type Task, type Work } from './house.js';

const SCRIPT = fileURLToPath(new URL('../../python/peer.py', import.meta.url));

/** How long it may take to end once it was asked to, ms. */
const END_MS = 10_000;

interface Answer {
  readonly done?: number;
  readonly value?: unknown;
  readonly error?: string;
  readonly run?: number;
  readonly id?: string;
  readonly data?: Task;
  readonly attemptsMade?: number;
}

/** Where the process works. */
export interface PythonGround {
  readonly python: string;
  readonly socketPath: string;
  readonly concurrency: number;
}

/** BullMQ for Python: a process of its own, whose runs are carried out here. */
export function pythonHouse(ground: PythonGround, queueName: string): FullHouse {
  const { python, socketPath, concurrency } = ground;
  const child = spawn(python, [SCRIPT, socketPath, queueName, String(concurrency)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const process = new PythonProcess(child);
  const call = (op: string, args: object = {}) => process.call(op, args);
  return {
    async add(task, options = {}) {
      return String(await call('add', { task, options }));
    },
    async addFlow(flow) {
      await call('flow', { flow: flowTree(queueName, flow) });
    },
    async schedule(schedule) {
      await call('schedule', schedule);
    },
    async unschedule(id) {
      await call('unschedule', { id });
    },
    work(work) {
      process.work = work;
      call('work').catch(() => undefined);
    },
    async pause() {
      await call('pause');
    },
    async resume() {
      await call('resume');
    },
    close: () => process.close(),
  };
}

/** The lines to and from the process. */
class PythonProcess {
  work: Work | undefined;
  readonly #calls = new Map<number, Waiting>();
  readonly #ended: Promise<unknown>;
  #count = 0;

  constructor(private readonly child: ChildProcess) {
    this.#ended = once(child, 'close').catch((error: unknown) => error);
    this.#ended.then(() => this.#fail(new Error('the process of BullMQ for Python has ended')));
    child.stdin?.on('error', () => undefined);
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
    }
  }

  call(op: string, args: object): Promise<unknown> {
    const number = this.#count++;
    return new Promise((resolve, reject) => {
      this.#calls.set(number, { resolve, reject });
      this.#write({ call: number, op, ...args });
    });
  }

  async close(): Promise<void> {
    const late = setTimeout(() => this.child.kill('SIGKILL'), END_MS);
    await this.call('close', {}).catch(() => undefined);
    this.child.stdin?.end();
    await this.#ended;
    clearTimeout(late);
  }

  #write(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #take(answer: Answer): void {
    if (answer.run !== undefined) {
      void this.#run(answer.run, answer);
      return;
    }
    const call = this.#calls.get(answer.done ?? -1);
    this.#calls.delete(answer.done ?? -1);
    if (answer.error === undefined) call?.resolve(answer.value);
    else call?.reject(new Error(answer.error));
  }

  async #run(ran: number, { id = '', data, attemptsMade = 0 }: Answer): Promise<void> {
    try {
      const value = await this.work?.({ id, task: data as Task, attemptsMade });
      this.#write({ ran, value });
    } catch (error) {
      this.#write({ ran, error: (error as Error).message });
    }
  }

  #fail(error: Error): void {
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}
