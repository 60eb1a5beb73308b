import type { LocalRedis } from '@echomq/local-redis';
import { Redis } from 'ioredis';

/** Asks a server on a loopback port over a connection that is there for the question alone. */
export async function asking<T>(
  server: Pick<LocalRedis, 'port'>,
  ask: (admin: Redis) => Promise<T>,
): Promise<T> {
  const admin = new Redis({ host: '127.0.0.1', port: server.port ?? 0 });
  admin.on('error', () => {});
  try {
    return await ask(admin);
  } finally {
    admin.disconnect();
  }
}
