import { readFileSync } from 'node:fs';
import { type ConnectOptions, connectRedis } from '@echomq/core/ioredis';
import type { EngineLogger } from '@echomq/engine';
import { Engines } from './engines.js';
import type { GatewayConfig } from './gateway-config.js';
import { makeLogger } from './log.js';
import { type Gateway, serve } from './serve.js';

/**
 * Starts a gateway. It listens also while Redis is away: health says NOT_SERVING until it is there.
 *
 * @param logger where it writes to; by default JSON lines on stderr
 * @throws Error when it cannot listen, or a file of the configuration cannot be read or is wrong
 */
export async function startGateway(
  config: GatewayConfig,
  logger: EngineLogger = makeLogger(config.logLevel),
): Promise<Gateway> {
  const redis = connectRedis({ ...config.redis, ...sentinelLogin(config) });
  try {
    const gateway = await serve(new Engines(redis, config, logger), config, logger);
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
