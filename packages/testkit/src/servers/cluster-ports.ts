import { createServer } from 'node:net';

/**
 * A port for a cluster node: free, and so is the one 10,000 above, where the nodes talk among
 * themselves. Both lie below the ports that systems give out by themselves.
 */
export async function clusterPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 11_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
  throw new Error('no pair of free ports for a cluster node');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
