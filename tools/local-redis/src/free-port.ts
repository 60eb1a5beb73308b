import { createServer } from 'node:net';

/**
 * A TCP port of the loopback interface that nobody listens on at this moment. Somebody else may
 * take it before the caller does, so the caller tries again when its server cannot bind.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('the system gave no port'));
      });
    });
  });
}
