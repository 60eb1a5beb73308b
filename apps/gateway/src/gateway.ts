import { connectRedis } from '@echomq/core/ioredis';
import { Engine, type EngineLogger } from '@echomq/engine';
import type { GatewayConfig } from './config.js';
import { makeLogger } from './log.js';
import { type Gateway, serve } from './serve.js';
import { VERSION } from './version.js';

/**
 * Starts a gateway. It listens also while Redis is away: health says NOT_SERVING until it is there.
 *
 * @param logger where it writes to; by default JSON lines on stderr
 * @throws Error when it cannot listen, or a file of the configuration cannot be read
 */
export async function startGateway(
  config: GatewayConfig,
  logger: EngineLogger = makeLogger(config.logLevel),
): Promise<Gateway> {
  const redis = connectRedis(config.redis);
  try {
    const { prefix, queueTag, limits, sweep, metrics } = config;
    const engine = new Engine({
      redis,
      prefix,
      queueTag,
      limits,
      sweep,
      metrics,
      logger,
      serverVersion: VERSION,
    });
    const gateway = await serve(engine, config, logger);
    const close = async () => {
      await gateway.close();
      await redis.close();
    };
    return { address: gateway.address, close };
  } catch (error) {
    await redis.close();
    throw error;
  }
}
