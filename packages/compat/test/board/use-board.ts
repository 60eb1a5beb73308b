import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { type Connection, embedded, Queue } from '@echomq/sdk/embedded';
import { useRedis } from '@echomq/testkit';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Queue as BullQueue } from 'bullmq';
import { onTestFinished } from 'vitest';

/** A bull-board at a queue that EchoMQ fills. */
export interface Board {
  /** EchoMQ's hold of the queue. */
  readonly queue: Queue<unknown, unknown>;
  readonly connection: Connection;
  /** Of the page. */
  readonly url: string;
  /** What the queue's keys hold. */
  read(): Promise<Record<string, unknown>>;
  /** Calls an address of bull-board's HTTP API under `/api/queues`; the body that it answers, if any. */
  call(method: 'GET' | 'PUT', path: string): Promise<{ status: number; body: unknown }>;
}

/** Gives a test file a server; each call starts a board, and all of it ends with the test. */
export function useBoard(): (name: string) => Promise<Board> {
  const redis = useRedis();
  return async (name) => {
    const { socketPath } = redis.server;
    if (socketPath === undefined) throw new Error('the server has no socket');
    const fresh = redis.freshQueue({ name });
    const connection = embedded({ redis: redis.url, compat: { workerList: true } });
    onTestFinished(() => connection.close());
    const bull = new BullQueue(name, { connection: { path: socketPath } });
    onTestFinished(() => bull.close());
    await bull.waitUntilReady();

    const adapter = new HonoAdapter(serveStatic);
    createBullBoard({ queues: [new BullMQAdapter(bull)], serverAdapter: adapter });
    const server = createServer(getRequestListener(adapter.registerPlugin().fetch));
    const url = await listening(server);
    return {
      queue: new Queue<unknown, unknown>(name, { connection }),
      connection,
      url,
      read: () => fresh.read(),
      async call(method, path) {
        const answer = await fetch(`${url}/api/queues${path}`, {
          method,
          headers: { connection: 'close' },
        });
        const text = await answer.text();
        return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
      },
    };
  };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
