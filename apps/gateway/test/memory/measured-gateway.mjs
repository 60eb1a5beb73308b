// A gateway that says how much memory it holds when it gets SIGUSR2: run with --expose-gc, as it is built.
import { loadConfig, startGateway } from '../../build/index.js';

const { config } = loadConfig({ env: process.env });
const gateway = await startGateway(config);

process.on('SIGUSR2', async () => {
  // Sessions that ended a moment ago are kept for half a lock; then all that ended lets go.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  console.log(`memory ${JSON.stringify({ heapUsed, external, rss })}`);
});
// Told last: whoever reads it may ask at once.
console.log(`listening on ${gateway.address}`);
