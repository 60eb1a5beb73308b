import type { Engine, EngineObserver } from '@echomq/engine';
import type { Registry } from 'prom-client';
import { DEFAULT_NAMESPACE } from '../access/principal.js';
import type { MetricsConfig } from '../gateway-config.js';
import { VERSION } from '../version.js';
import type { CallWatcher } from '../watching/watch-calls.js';
import { Backlogs, type QueueId, type QueueStand } from './backlogs.js';
import { callMeter } from './call-meter.js';
import { EngineMeter, queueKey, queueOfKey } from './engine-meter.js';
import { type Instruments, makeInstruments } from './instruments.js';
import { LabelBudget } from './label-budget.js';

/** What is read of an engine for a scrape. */
export type MeasuredEngine = Pick<
  Engine,
  'ready' | 'openStreams' | 'servedQueues' | 'holdings' | 'backlogOf'
>;

/** All numbers of a gateway. It counts from the start and reads the rest when it is asked. */
export class GatewayMetrics {
  /** For the calls. */
  readonly calls: CallWatcher;
  readonly #registry: Registry;
  readonly #metrics: Instruments;
  readonly #queues: LabelBudget;
  readonly #workers: LabelBudget;
  readonly #backlogs: Backlogs;
  #engines: ReadonlyMap<string, MeasuredEngine> = new Map();

  constructor(config: Pick<MetricsConfig, 'queues' | 'maxQueues' | 'maxWorkers'>) {
    const { registry, instruments } = makeInstruments(true);
    this.#registry = registry;
    this.#metrics = instruments;
    this.#queues = new LabelBudget(config.maxQueues);
    this.#workers = new LabelBudget(config.maxWorkers);
    for (const queue of config.queues) this.#queues.of(queueKey(DEFAULT_NAMESPACE, queue));
    instruments.echomq_build_info.set({ version: VERSION }, 1);
    this.calls = callMeter(instruments);
    this.#backlogs = new Backlogs({
      queues: () => this.#shownQueues(),
      read: ({ namespace, queue }) => this.#engineOf(namespace).backlogOf(queue),
      onError: () => instruments.echomq_queue_read_errors_total.inc(),
    });
  }

  /** Counts what the engine of a namespace does. */
  observerOf(namespace: string): EngineObserver {
    return new EngineMeter(this.#metrics, namespace, this.#queues);
  }

  /** Where the rest is read, by namespace. */
  readFrom(engines: ReadonlyMap<string, MeasuredEngine>): void {
    this.#engines = engines;
  }

  /** What Prometheus reads. */
  async text(): Promise<{ readonly type: string; readonly body: string }> {
    const stands = this.ready ? await this.#backlogs.now() : [];
    this.#showQueues(stands);
    this.#showWorkers();
    const streams = this.#all.reduce((sum, { openStreams }) => sum + openStreams, 0);
    this.#metrics.echomq_work_streams.set(streams);
    this.#metrics.echomq_ready.set(this.ready ? 1 : 0);
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  /** How much work waits, per queue, for those who scale workers; a few seconds old at most. */
  async scaling(): Promise<readonly ScalingSignal[]> {
    return (this.ready ? await this.#backlogs.now() : []).map(signalOf);
  }

  get #all(): readonly MeasuredEngine[] {
    return [...this.#engines.values()];
  }

  /** Whether the store is there and the gateway takes work. */
  get ready(): boolean {
    return this.#engines.size > 0 && this.#all.every(({ ready }) => ready);
  }

  #engineOf(namespace: string): MeasuredEngine {
    const engine = this.#engines.get(namespace);
    if (!engine) throw new Error('a namespace without an engine');
    return engine;
  }

  /** Those that were named, added to or served here, as far as there are labels. */
  #shownQueues(): QueueId[] {
    for (const [namespace, { servedQueues }] of this.#engines) {
      for (const queue of servedQueues) this.#queues.of(queueKey(namespace, queue));
    }
    return [...this.#queues.known].map(queueOfKey);
  }

  #showQueues(stands: readonly QueueStand[]): void {
    const metrics = this.#metrics;
    metrics.echomq_queue_jobs.reset();
    metrics.echomq_queue_backlog_jobs.reset();
    metrics.echomq_queue_oldest_waiting_seconds.reset();
    for (const stand of stands) {
      const { namespace, queue, backlog } = stand;
      const labels = { namespace, queue };
      for (const [state, jobs] of Object.entries(backlog.counts)) {
        metrics.echomq_queue_jobs.set({ ...labels, state }, jobs);
      }
      const { jobs, oldestWaitingSeconds } = signalOf(stand);
      metrics.echomq_queue_backlog_jobs.set(labels, jobs);
      metrics.echomq_queue_oldest_waiting_seconds.set(labels, oldestWaitingSeconds);
    }
  }

  #showWorkers(): void {
    const held = new Map<string, number>();
    for (const { holdings } of this.#all) {
      for (const { worker, jobs } of holdings) {
        const label = this.#workers.of(worker);
        held.set(label, (held.get(label) ?? 0) + jobs);
      }
    }
    // Names change with each start of a worker: those that are gone make room.
    for (const name of this.#workers.known) if (!held.has(name)) this.#workers.release(name);
    this.#metrics.echomq_worker_jobs_in_flight.reset();
    for (const [worker, jobs] of held) {
      this.#metrics.echomq_worker_jobs_in_flight.set({ worker }, jobs);
    }
  }
}

/** How much work a queue has, for those who scale. */
export interface ScalingSignal {
  readonly namespace: string;
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  /** Both together: what workers are needed for. */
  readonly jobs: number;
  readonly oldestWaitingSeconds: number;
}

function signalOf({ namespace, queue, backlog }: QueueStand): ScalingSignal {
  const { counts, oldestWaitingMs } = backlog;
  const waiting = counts.waiting + counts.prioritized;
  const { active } = counts;
  const oldestWaitingSeconds = Math.round(oldestWaitingMs) / 1_000;
  return { namespace, queue, waiting, active, jobs: waiting + active, oldestWaitingSeconds };
}
