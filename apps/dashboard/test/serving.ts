import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EchoMQError } from '@echomq/core';
import type { Services } from '@echomq/engine';
import { onTestFinished } from 'vitest';
import type { Caller, DashboardPorts, EndedRequest } from '../src/caller.js';
import { makeDashboard } from '../src/dashboard.js';

type Fakes = { readonly [S in 'queue' | 'scheduler']?: Partial<Services[S]> };

/** A dashboard over services of which only the given methods do something, for the length of the running test. */
export async function serving(fakes: Fakes = {}, more: Partial<DashboardPorts> = {}) {
  const ended: EndedRequest[] = [];
  const bugs: unknown[] = [];
  const caller: Caller = {
    name: 'ada',
    namespace: '',
    services: { queue: fakes.queue ?? {}, scheduler: fakes.scheduler ?? {} } as Caller['services'],
    mayChange: (queue) => queue !== 'others',
  };
  const dashboard = makeDashboard({
    open: false,
    version: '1.2.3',
    admit: async (authorization) => {
      if (authorization === 'Bearer good') return caller;
      throw new EchoMQError('no', { code: 'UNAUTHENTICATED', reason: 'CREDENTIALS_INVALID' });
    },
    ended: (request) => ended.push(request),
    reportBug: (_, error) => bugs.push(error),
    ...more,
  });
  const server = createServer(dashboard);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    ended,
    bugs,
    /** Asks as the page does; headers of the test's own replace the page's, `undefined` takes one away. */
    async ask(
      path: string,
      body: unknown,
      headers: Readonly<Record<string, string | undefined>> = {},
    ) {
      const all = {
        authorization: 'Bearer good',
        'content-type': 'application/json',
        'x-echomq-dashboard': '1',
        connection: 'close',
        ...headers,
      };
      const sent = Object.entries(all).filter(
        (pair): pair is [string, string] => pair[1] !== undefined,
      );
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await fetch(`${url}/api/${path}`, {
        method: 'POST',
        headers: sent,
        body: text,
      });
      const answer = (await response.json()) as Readonly<Record<string, unknown>>;
      const header = (name: string): string | null => response.headers.get(name);
      return { status: response.status, header, answer };
    },
  };
}
