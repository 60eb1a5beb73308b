import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { track } from '../leaks/registry.js';
import { type Flow, Lane } from './lane.js';

/** Which way bytes go; `both` unless said. */
export type Direction = 'both' | 'toServer' | 'toClient';

/** A TCP hop on the loopback interface that can go wrong on demand. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections go through it now. */
  readonly connections: number;
  /** How many have come since it started. */
  readonly accepted: number;
  /** Breaks every connection at once; new ones pass. */
  cut(): void;
  /** Breaks every connection once so many more bytes have gone that way; 0: at the next one. */
  cutAfter(bytes: number, direction: Exclude<Direction, 'both'>): void;
  /** Stops listening: new connections are refused, those that are there stay. */
  refuse(): void;
  /** Listens again, at the same port. */
  accept(): Promise<void>;
  /** Holds bytes back without closing anything, as a network that has gone silent. */
  pause(direction?: Direction): void;
  /** Throws bytes away, as if one side never got them. */
  swallow(direction?: Direction): void;
  /** Lets bytes pass again, those held back first, in order. Delays stay. */
  resume(direction?: Direction): void;
  /** Lets each piece wait; 0 ends it. */
  delay(ms: number, direction?: Direction): void;
  /** Leads new connections elsewhere, as a name server or a load balancer does; those that are there stay. */
  retarget(target: ProxyTarget): void;
  /** Breaks everything and stops listening. */
  stop(): Promise<void>;
}

/** Where a proxy leads to: a loopback port, or what `net.connect` takes. */
export type ProxyTarget = number | NetConnectOpts;

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly lanes: readonly Lane[];
}

/** Starts a proxy on a free loopback port. */
export async function tcpProxy(target: ProxyTarget): Promise<TcpProxy> {
  let to = addressOf(target);
  const flows: Record<'toServer' | 'toClient', Flow> = {
    toServer: { held: false, swallowed: false, delayMs: 0 },
    toClient: { held: false, swallowed: false, delayMs: 0 },
  };
  const connections = new Set<Connection>();
  let accepted = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted += 1;
    join(client, connect({ ...to, allowHalfOpen: true }), flows, connections);
  });
  await listen(server, 0);
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  const untrack = track(`tcp proxy on port ${port}`);

  const change = (direction: Direction, apply: (flow: Flow) => void): void => {
    if (direction !== 'toClient') apply(flows.toServer);
    if (direction !== 'toServer') apply(flows.toClient);
    for (const { lanes } of connections) for (const lane of lanes) lane.move();
  };
  const cut = (): void => {
    for (const { client, upstream } of connections) {
      // A reset of a side that has been shut down already never closes its handle.
      if (client.writableEnded) client.destroy();
      else client.resetAndDestroy();
      upstream.destroy();
    }
  };
  const refuse = (): void => {
    // It waits for the connections before it calls back, but stops listening at once.
    if (server.listening) server.close();
  };
  const stop = async (): Promise<void> => {
    refuse();
    cut();
    while (connections.size > 0) await nextTurn();
    untrack();
  };
  return {
    port,
    get connections() {
      return connections.size;
    },
    get accepted() {
      return accepted;
    },
    cut,
    cutAfter: (bytes, direction) => {
      // Closed, not reset: a reset would take back what has arrived and was not read yet.
      const close = () => {
        for (const { client, upstream } of connections)
          for (const each of [client, upstream]) each.destroy();
      };
      Object.assign(flows[direction], { budget: bytes, onSpent: close });
    },
    refuse,
    accept: () => (server.listening ? Promise.resolve() : listen(server, port)),
    pause: (direction = 'both') => change(direction, (flow) => Object.assign(flow, { held: true })),
    swallow: (direction = 'both') =>
      change(direction, (flow) => Object.assign(flow, { swallowed: true })),
    resume: (direction = 'both') =>
      change(direction, (flow) => Object.assign(flow, { held: false, swallowed: false })),
    delay: (delayMs, direction = 'both') =>
      change(direction, (flow) => Object.assign(flow, { delayMs })),
    retarget: (next) => {
      to = addressOf(next);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function addressOf(target: ProxyTarget): NetConnectOpts {
  return typeof target === 'number' ? { port: target, host: '127.0.0.1' } : target;
}

function join(
  client: Socket,
  upstream: Socket,
  flows: { readonly toServer: Flow; readonly toClient: Flow },
  connections: Set<Connection>,
): void {
  client.setNoDelay(true);
  upstream.setNoDelay(true);
  const sockets = [client, upstream];
  const lanes = [
    new Lane(flows.toServer, client, upstream),
    new Lane(flows.toClient, upstream, client),
  ];
  const connection = { client, upstream, lanes };
  connections.add(connection);
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.on('close', (failed) => {
      // A side that broke breaks the other; one that ended in order has sent its `end` on.
      if (failed) for (const other of sockets) other.destroy();
      if (!sockets.every((each) => each.destroyed)) return;
      for (const lane of lanes) lane.close();
      connections.delete(connection);
    });
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
