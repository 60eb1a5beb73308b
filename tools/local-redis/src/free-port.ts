import { once } from 'node:events';
import { type AddressInfo, Server } from 'node:net';

/**
 * A TCP port of the loopback interface that nobody listens on at this moment. Somebody else may
 * take it before the caller does, so the caller tries again when its server cannot bind.
 *
 * @throws Error when the system has no port left
 */
export async function freePort(): Promise<number> {
  const probe = new Server().listen({ port: 0, host: '127.0.0.1' });
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
