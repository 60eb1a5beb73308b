import type { EngineLogger, Services } from '@echomq/engine';
import { Server } from '@grpc/grpc-js';
import { type Access, openAccess } from './access/access.js';
import { guard } from './binding/guard.js';
import { bindServices } from './binding/services.js';
import type { DashboardServer } from './dashboard/index.js';
import type { GatewayConfig } from './gateway-config.js';
import { Health } from './health.js';
import { bugReporter } from './log.js';
import { LoopDelay } from './loop-delay.js';
import { addReflection } from './reflection.js';
import { listen, serverOptions, shutDown } from './server.js';
import { CertificateFiles } from './tls/certificate-files.js';
import { OpenStreams } from './watching/open-streams.js';
import { type CallWatcher, watchCalls } from './watching/watch-calls.js';

/** A gateway that runs. */
export interface Gateway {
  /** `host:port` that it listens on. */
  readonly address: string;
  /** `host:port` on which the dashboard is served; absent: nowhere. */
  readonly dashboardAddress?: string;
  /** `host:port` on which metrics are served; absent: nowhere. */
  readonly metricsAddress?: string;
  /** Drains and ends it; further calls wait for the same end. */
  close(): Promise<void>;
}

/** What the binding needs of the engine: what it serves, and its life. */
export interface ServedEngine {
  /** What it serves to the principals of a namespace that the configuration names; `""` is the default one. */
  servicesOf(namespace: string): Services;
  /** Whether calls are worth while. */
  readonly ready: boolean;
  /** Calls back when {@link ready} changes. Returns the way to stop that. */
  onReadyChange(listener: (ready: boolean) => void): () => void;
  /** Begins to work; does not wait for Redis. */
  start(): void | Promise<void>;
  /** Refuses new work, moves the streams away, waits for them at most so long. */
  drain(options: { readonly timeoutMs: number }): Promise<void>;
  /** Ends all that it has going. */
  close(): Promise<void>;
}

/** How long the last streams may take to hear how they ended. */
const STATUS_MS = 1_000;
/** How long the first call may be put off so that it finds Redis connected. */
const START_GRACE_MS = 1_000;

/** Resolves when the engine is ready, or after so long all the same. */
async function readyWithin(engine: ServedEngine, ms: number): Promise<void> {
  if (engine.ready) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    const stop = engine.onReadyChange(done);
    const timer = setTimeout(done, ms);
  });
}

/** What looks at files for as long as the gateway runs. */
interface Watched {
  readonly access: Access;
  readonly certificates: CertificateFiles | undefined;
}

/**
 * Serves an engine over gRPC. It listens also where Redis is away, a moment later.
 *
 * @param watchers hear of every call
 * @throws Error when it cannot listen, or a file of the configuration is wrong; the engine is closed then
 */
export async function serve(
  engine: ServedEngine,
  config: GatewayConfig,
  logger: EngineLogger,
  watchers: readonly CallWatcher[] = [],
): Promise<Gateway> {
  let watched: Watched;
  try {
    watched = openFiles(config, logger);
  } catch (error) {
    await engine.close();
    throw error;
  }
  const { access, certificates } = watched;
  const reportBug = bugReporter(logger);
  const { maxMetadataBytes, maxUnreadMs } = config.quotas;
  const guardReflection = config.reflection === 'admin';
  const guarding = guard({ access, reportBug, maxMetadataBytes, guardReflection });
  const streams = new OpenStreams();
  const watching = watchCalls([...watchers, streams.watcher]);
  const server = new Server(serverOptions(config, [watching, guarding]));
  const health = new Health();
  let draining = false;
  const loop = new LoopDelay(config.maxLoopDelayMs, () => {
    if (!loop.keepsUp) logger.warn('loop.late', { limitMs: config.maxLoopDelayMs });
    follow();
  });
  const follow = () => health.setServing(engine.ready && loop.keepsUp && !draining);
  const unfollow = engine.onReadyChange(follow);
  const unwatch = () => {
    unfollow();
    loop.close();
    access.close();
    certificates?.close();
  };
  let address: string;
  let dashboard: DashboardServer | undefined;
  try {
    bindServices(server, engine, { access, reportBug, maxUnreadMs });
    health.addTo(server);
    if (config.reflection !== 'off') addReflection(server);
    await engine.start();
    await readyWithin(engine, START_GRACE_MS);
    address = await listen(server, config.listen, certificates?.credentials);
    if (config.dashboard) {
      const { serveDashboard } = await import('./dashboard/index.js');
      dashboard = await serveDashboard({ config, engine, access, certificates, logger });
    }
  } catch (error) {
    unwatch();
    server.forceShutdown();
    await engine.close();
    throw error;
  }
  follow();

  // The order matters: whoever asks for health goes elsewhere first; then the streams are told, and end; only what is
  // left is cut. A GOAWAY before the streams are gone would kill them (grpc-node #3068).
  const close = async () => {
    draining = true;
    follow();
    await dashboard?.close();
    await engine.drain({ timeoutMs: config.drainTimeoutMs });
    await streams.whenNone(STATUS_MS);
    await shutDown(server);
    unwatch();
    await engine.close();
  };
  let closed: Promise<void> | undefined;
  return {
    address,
    ...(dashboard ? { dashboardAddress: dashboard.address } : {}),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function openFiles(config: GatewayConfig, logger: EngineLogger): Watched {
  const access = openAccess(config, logger);
  try {
    const { tls, reloadMs } = config;
    return { access, certificates: tls && new CertificateFiles(tls, reloadMs, logger) };
  } catch (error) {
    access.close();
    throw error;
  }
}
