import { setMaxListeners } from 'node:events';
import { prefixProblem, type QueueTag, type RedisClient, Store } from '@echomq/core';
import type { ServerInfo } from '@echomq/proto/messages';
import { CancelWatch } from './cancels/cancel-watch.js';
import { WorkerList } from './compat/worker-list.js';
import { Adds } from './dispatch/adds.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { EventTail } from './events/event-tail.js';
import { LeaseKeeper } from './leases/lease-keeper.js';
import { DEFAULT_LIMITS, type Limits } from './limits.js';
import { type Backlog, readBacklog } from './observation/backlog.js';
import { observedProducer } from './observation/observed-producer.js';
import {
  type Clock,
  type EngineDeps,
  type EngineLogger,
  type EngineObserver,
  silentLogger,
  systemClock,
} from './ports.js';
import { QueueNames } from './queue-names.js';
import { Readiness } from './readiness/readiness.js';
import { WatchedRedis } from './readiness/watched-redis.js';
import { within } from './readiness/within.js';
import { AddSlots } from './receipts/add-slots.js';
import { type NamedBackoff, scriptBackoffs } from './retries/named-backoffs.js';
import { nextRuns } from './scheduling/next-runs.js';
import type { Services } from './service.js';
import { eventService } from './services/event/event-service.js';
import { gatewayService } from './services/gateway/gateway-service.js';
import { producerService } from './services/producer/producer-service.js';
import { waitJob } from './services/producer/waitJob.js';
import { queueService } from './services/queue/queue-service.js';
import type { StallSettings } from './services/queue/repairQueue.js';
import { schedulerService } from './services/scheduler/scheduler-service.js';
import { workerService } from './services/worker/index.js';
import { Waiters } from './services/worker/waiters.js';
import type { WorkerDeps } from './services/worker/worker-deps.js';
import { BufferDesk, gateChanged } from './sessions/buffer-desk.js';
import { gatewayDraining } from './sessions/session-messages.js';
import { SessionRegistry } from './sessions/session-registry.js';
import { Sweeps } from './sweeps/sweeps.js';
import { makeWakeups, type Wakeups } from './wakeups/wakeups.js';
import { WorkerBook } from './workers/worker-book.js';

/** How an engine is made. */
export interface EngineOptions {
  /** For commands; connections for blocking commands are made from it. The engine does not close it. */
  readonly redis: RedisClient;
  /** What every key begins with. `bull` by default, as BullMQ's. */
  readonly prefix?: string;
  /** How queue names become keys in a cluster. */
  readonly queueTag?: QueueTag;
  readonly limits?: Partial<Limits>;
  readonly sweep?: {
    /** Between two stalled sweeps of a queue, ms. 30,000 by default. */
    readonly stalledIntervalMs?: number;
    /** Stalls that a job survives. 1 by default. */
    readonly maxStalledCount?: number;
  };
  /**
   * Backoffs that jobs ask for by name, by their names: steps in ms, or `{ type, baseMs, factor, maxMs, jitter }`. A job
   * whose backoff nobody knows fails for good, and says so.
   */
  readonly backoffs?: Readonly<Record<string, NamedBackoff>>;
  readonly metrics?: {
    /** Minutes of metrics to keep per queue. None by default. */
    readonly maxDataPoints?: number;
  };
  readonly compat?: {
    /** Keeps one idle connection per queue served, named so that BullMQ's `getWorkers` lists it. False by default. */
    readonly workerList?: boolean;
  };
  readonly logger?: EngineLogger;
  /** Hears what the engine does, for metrics. Absent: nothing is measured, at no cost. */
  readonly observer?: EngineObserver;
  readonly clock?: Clock;
  /** The version that GetServerInfo tells. */
  readonly serverVersion?: string;
}

/** Workers are asked to leave within this span, so that they do not all arrive elsewhere at once, ms. */
const SPREAD_MS = 5_000;
/** A greeting of a stream tells of the server what was known so long ago at most, ms. */
const INFO_MS = 60_000;
/** A close waits so long for what is under way, ms. */
const CLOSE_MS = 2_000;

/** Serves `echomq.v1` over Redis. Calls come through {@link Engine.services}, from a gateway or from the same process. */
export class Engine {
  readonly services: Services;
  readonly limits: Limits;
  readonly #deps: EngineDeps;
  readonly #redis: RedisClient;
  readonly #readiness: Readiness;
  readonly #wakeups: Wakeups;
  readonly #dispatcher: Dispatcher;
  readonly #keeper: LeaseKeeper;
  readonly #sessions: SessionRegistry;
  readonly #waiters: Waiters;
  readonly #cancels: CancelWatch;
  readonly #workers: WorkerBook;
  readonly #sweeps: Sweeps;
  readonly #stalls: StallSettings;
  readonly #tail: EventTail;
  readonly #workerList: WorkerList | undefined;
  readonly #leaving = new AbortController();
  #closed: Promise<void> | undefined;
  #serverInfo: ServerInfo | undefined;
  #infoTimer: unknown;

  constructor(options: EngineOptions) {
    const clock = options.clock ?? systemClock;
    const logger = options.logger ?? silentLogger;
    const prefix = options.prefix ?? 'bull';
    const problem = prefixProblem(prefix);
    if (problem) throw new TypeError(`prefix: ${problem}`);
    this.limits = Object.freeze({ ...DEFAULT_LIMITS, ...options.limits });
    this.#readiness = new Readiness({ clock, logger, probeKey: `${prefix}:0:meta:probe` });
    this.#redis = new WatchedRedis(options.redis, (result) => this.#readiness.note(result));
    const store = new Store(this.#redis, options.observer);
    this.#deps = {
      store,
      adds: new Adds(store, (keys) => this.#dispatcher.expect(keys)),
      slots: new AddSlots(),
      names: new QueueNames(prefix, options.redis.cluster, options.queueTag ?? 'auto'),
      limits: this.limits,
      clock,
      logger,
      observer: options.observer,
      serverVersion: options.serverVersion ?? '0.0.0',
      maxMetricsDataPoints: options.metrics?.maxDataPoints ?? 0,
      backoffs: scriptBackoffs(options.backoffs ?? {}),
    };
    this.#wakeups = makeWakeups({ redis: this.#redis, logger });
    this.#tail = new EventTail({ redis: this.#redis, store: this.#deps.store, logger });
    this.#dispatcher = new Dispatcher({
      deps: this.#deps,
      redis: this.#redis,
      wakeups: this.#wakeups,
      beforeDelivery: nextRuns(this.#deps),
    });
    this.#keeper = new LeaseKeeper({ clock, logger, observer: options.observer });
    this.#sessions = new SessionRegistry(clock);
    this.#waiters = new Waiters(this.limits.maxWaiters);
    this.#workers = new WorkerBook(this.#deps);
    this.#cancels = new CancelWatch({
      redis: this.#redis,
      prefix,
      clock,
      logger,
      onRequest: (base, jobId) => this.#keeper.look(base, jobId),
      onListening: () => this.#keeper.lookAll(),
    });
    this.#stalls = {
      stalledIntervalMs: options.sweep?.stalledIntervalMs ?? 30_000,
      maxStalledCount: options.sweep?.maxStalledCount ?? 1,
    };
    this.#sweeps = new Sweeps(this.#deps, this.#dispatcher, this.#stalls);
    this.#workerList = options.compat?.workerList
      ? new WorkerList(this.#deps, this.#redis, this.#dispatcher)
      : undefined;
    // Every call that waits listens to it.
    setMaxListeners(0, this.#leaving.signal);
    this.services = this.#makeServices();
  }

  /** Whether work can flow. False once Redis has been away for 5 s, and once the engine drains. */
  get ready(): boolean {
    return this.#readiness.ready;
  }

  /** Calls back at each change of {@link ready}. Returns the way to stop that. */
  onReadyChange(listener: (ready: boolean) => void): () => void {
    return this.#readiness.onChange(listener);
  }

  /** Work streams that are open. */
  get openStreams(): number {
    return this.#sessions.open;
  }

  /** The names of the queues that workers take from here, or took lately. */
  get servedQueues(): string[] {
    return [...this.#dispatcher.all()].map(({ queue }) => queue.name);
  }

  /** What the workers with a stream to this engine hold: for each its name, a queue, and how many jobs of it. */
  get holdings(): { readonly worker: string; readonly queue: string; readonly jobs: number }[] {
    return this.#sessions.notes().flatMap(({ worker, queues }) =>
      queues.map(({ queue, held }) => ({
        worker: worker.name || worker.workerId,
        queue: queue.name,
        jobs: held.length,
      })),
    );
  }

  /**
   * How a queue stands in the store, at a small cost whatever its size.
   *
   * @throws InvalidRequest for a name outside the rules; StoreUnavailable
   */
  backlogOf(queue: string): Promise<Backlog> {
    return readBacklog(this.#deps, this.#deps.names.resolve(queue));
  }

  /** Begins to sweep, to wake and to look after Redis. Redis may be away: the engine works once it is there. */
  start(): void {
    this.#readiness.start(this.#redis);
    this.#dispatcher.start();
    this.#sweeps.start();
    this.#workerList?.start();
    this.#refreshInfo();
  }

  /**
   * Leaves in good order: takes nothing new, answers those who wait, asks the streams to go elsewhere, and goes on to
   * acknowledge and to renew until they have ended or `timeoutMs` is over; then ends the rest.
   */
  async drain({ timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
    this.#leave();
    this.#sessions.sendAway(Math.min(SPREAD_MS, timeoutMs / 2));
    await this.#sessions.whenEmpty(timeoutMs);
    this.#sessions.endAll(gatewayDraining());
  }

  /** Stops everything at once. The client that was given stays open. Never throws; may be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#leave();
    this.#sessions.endAll(gatewayDraining());
    this.#sessions.close();
    this.#keeper.close();
    this.#workers.close();
    this.#dispatcher.close();
    this.#deps.clock.clearTimeout(this.#infoTimer);
    this.#readiness.stop();
    const ends = [this.#sweeps.close(), this.#wakeups.close(), this.#tail.close()];
    ends.push(this.#cancels.close());
    if (this.#workerList) ends.push(this.#workerList.close());
    // A store that hangs does not keep us: its commands have limits of their own.
    await within(this.#deps.clock, Promise.all([...ends, this.#dispatcher.settled()]), CLOSE_MS);
  }

  /** Takes nothing new and lets those who wait go. */
  #leave(): void {
    this.#leaving.abort();
    this.#readiness.leave();
    this.#waiters.endAll();
  }

  #makeServices(): Services {
    const { observer, clock } = this.#deps;
    const deps: WorkerDeps = {
      ...this.#deps,
      dispatcher: this.#dispatcher,
      keeper: this.#keeper,
      sessions: this.#sessions,
      buffers: new BufferDesk(this.#deps),
      waiters: this.#waiters,
      cancels: this.#cancels,
      workers: this.#workers,
      draining: () => this.#leaving.signal.aborted,
      closed: () => this.#closed !== undefined,
      storeReady: () => this.#redis.ready,
      serverInfo: () => this.#serverInfo && { ...this.#serverInfo, time: new Date(clock.now()) },
    };
    const events = { ...this.#deps, tail: this.#tail, draining: this.#leaving.signal };
    const producer = { ...producerService(this.#deps), waitJob: waitJob(events) };
    const others = {
      producer: observer ? observedProducer(producer, observer) : producer,
      worker: workerService(deps),
      queue: queueService(this.#deps, (queue) => gateChanged(deps, queue), this.#stalls),
      scheduler: schedulerService(this.#deps),
      event: eventService(events),
    };
    return { ...others, gateway: gatewayService(this.#deps, others) };
  }

  #refreshInfo(): void {
    const context = { signal: new AbortController().signal };
    const again = (ms: number) => {
      if (this.#closed) return;
      this.#infoTimer = this.#deps.clock.setTimeout(() => this.#refreshInfo(), ms);
    };
    this.services.gateway.getServerInfo({}, context).then(
      ({ serverInfo }) => {
        this.#serverInfo = serverInfo;
        again(serverInfo?.redis?.version ? INFO_MS : 1_000);
      },
      () => again(1_000),
    );
  }
}
