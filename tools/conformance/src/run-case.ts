import type { Case } from './cases/case.js';
import { RiggedGateway } from './gateway/rigged-gateway.js';
import { spansOf } from './spans.js';
import { Stage } from './stage.js';
import { type Verdict, Violation } from './verdict.js';
import type { WorkerCommand } from './worker-process.js';

/** How cases are run. */
export interface RunOptions {
  readonly worker: WorkerCommand;
  /** 1 on a quiet machine; more gives the worker more time. */
  readonly patience: number;
  /** Plays a gateway of the first version of the contract: single reports, heartbeats that name all. */
  readonly older?: boolean;
}

const DEFAULT_CONCURRENCY = 2;
const MAX_CASE_MS = 60_000;

/** Plays one case against a worker of its own and judges it. */
export async function runCase(
  played: Case,
  { worker, patience, older = false }: RunOptions,
): Promise<Verdict> {
  const { id, grade, rule } = played;
  const startedAt = performance.now();
  const queue = `conformance-${id}-${Math.random().toString(36).slice(2, 8)}`;
  const gateway = new RiggedGateway(queue, spansOf(patience), { older });
  await gateway.start();
  const stage = new Stage(gateway, worker, played.concurrency ?? DEFAULT_CONCURRENCY);
  stage.startWorker();
  const playing = played.play(stage);
  let passed = true;
  let seen: string;
  try {
    seen = await limited(Promise.race([playing, stage.death]), MAX_CASE_MS * patience);
    const [breach] = gateway.rules.breaches;
    if (breach !== undefined) throw new Violation(breach);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    passed = false;
    const breaches = gateway.rules.breaches.filter((text) => text !== error.message);
    seen = [error.message, ...breaches].join('; ');
  } finally {
    gateway.close();
    await stage.clear();
    await playing.catch(() => undefined);
  }
  const ms = Math.round(performance.now() - startedAt);
  const verdict = { id, grade, rule, passed, seen, ms };
  if (passed) return verdict;
  return { ...verdict, transcript: gateway.transcript.lines(), output: stage.worker.output };
}

async function limited<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Violation('the case took too long')), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
