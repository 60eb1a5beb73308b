#!/usr/bin/env node
import { connect, Worker, type WorkerOptions } from '@echomq/sdk';
import { Command } from 'commander';
import { handler } from './handlers.js';

interface Options extends Pick<WorkerOptions, 'concurrency' | 'name' | 'lockDuration'> {
  readonly address: string;
  readonly queue: string;
}

const options = new Command('echomq-sample-worker')
  .description('Works on checksum, flaky, slow, echo and doomed jobs.')
  .option('--address <host:port>', 'the gateway', '127.0.0.1:50051')
  .option('--queue <name>', 'the queue', 'demo')
  .option('--concurrency <n>', 'jobs at once', Number, 4)
  .option('--name <name>', 'what the worker is called')
  .option('--lock-duration <ms>', 'after this the jobs of a dead worker are free', Number)
  .parse()
  .opts<Options>();

const { address, queue, ...rest } = options;
const connection = connect({ address });
const worker = new Worker(queue, handler, { connection, ...rest });
worker.on('ready', () => console.log(`${worker.name}: works on "${queue}" at ${address}`));
worker.on('error', (error) => console.error(`${worker.name}: ${error.message}`));

// The first signal lets running jobs end (10 s at most, then they go back); a second one ends the process.
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.once(name, async () => {
    await worker.close({ timeoutMs: 10_000 });
    await connection.close();
  });
}
