import { readFileSync } from 'node:fs';
import { type ConnectOptions, connectRedis } from '@echomq/core/ioredis';
import { Engines } from './engines.js';
import type { GatewayConfig } from './gateway-config.js';
import { type GatewayLogger, makeLogger } from './log.js';
import { type Gateway, serve } from './serve.js';
import { openObservation } from './watching/observation.js';

/**
 * Starts a gateway. It listens also while Redis is away: health says NOT_SERVING until it is there.
 *
 * @param logger where it writes to; by default JSON lines on stderr
 * @throws Error when it cannot listen, or a file of the configuration cannot be read or is wrong
 */
export async function startGateway(
  config: GatewayConfig,
  logger: GatewayLogger = makeLogger(config.logLevel, { format: config.logFormat }),
): Promise<Gateway> {
  const redis = connectRedis({ ...config.redis, ...sentinelLogin(config) });
  try {
    const observation = await openObservation(config, logger);
    const engines = new Engines(redis, { config, logger, observerOf: observation.observerOf });
    const gateway = await serve(engines, config, logger, observation.watchers);
    const close = async () => {
      await gateway.close();
      // The last: what happens at the end can be read until then.
      await observation.close();
      await redis.close();
    };
    try {
      const metricsAddress = await observation.serve(engines.byNamespace);
      return { ...gateway, ...(metricsAddress === undefined ? {} : { metricsAddress }), close };
    } catch (error) {
      await gateway.close();
      await observation.close();
      throw error;
    }
  } catch (error) {
    await redis.close();
    throw error;
  }
}

function sentinelLogin({ sentinel }: GatewayConfig): Pick<ConnectOptions, 'sentinel'> {
  if (!sentinel) return {};
  const { username, passwordFile } = sentinel;
  const password =
    passwordFile === undefined
      ? undefined
      : readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '');
  return {
    sentinel: {
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    },
  };
}
