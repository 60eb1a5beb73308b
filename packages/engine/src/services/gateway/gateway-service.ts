import type { GatewayApi } from '../../service.js';
import type { ServedServices } from './capabilities.js';
import { type GatewayDeps, getServerInfo } from './getServerInfo.js';

/**
 * GatewayService.
 *
 * @param services the other services as they are served: the capabilities are read off them.
 */
export function gatewayService(deps: GatewayDeps, services: ServedServices = {}): GatewayApi {
  return { getServerInfo: getServerInfo(deps, services) };
}
