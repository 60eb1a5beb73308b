import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, DashboardPorts, RequestContext } from './caller.js';
import { change } from './change/change.js';
import { type Target, targetOf } from './change/target.js';
import { errorAnswer, Refusal, sendJson } from './http/answer.js';
import { readAssets, sendAsset } from './http/assets.js';
import { RateBound } from './http/rate-bound.js';
import { readBody } from './http/read-body.js';
import { refuseForeign } from './http/refuse-foreign.js';
import { show } from './show/show.js';

/** Answers one request. Never throws. */
export type Dashboard = (request: IncomingMessage, response: ServerResponse) => void;

/** A poll of the page each 2 s is one; people click a few times a second at most. */
const EACH_CALLER = { perSecond: 20, burst: 100 };
/** Of one address without credentials that count. */
const EACH_STRANGER = { perSecond: 1, burst: 20 };
/** An answer that takes longer is of no use to somebody who looks. */
const DEADLINE_MS = 15_000;

/**
 * The page under `/`, and under `/api/` what it asks for, each by POST with a JSON object: `session`, `show`,
 * `change/NAME`.
 *
 * @throws Error where the page was not built
 */
export function makeDashboard(ports: DashboardPorts): Dashboard {
  const assets = readAssets();
  const bounds = { callers: new RateBound(EACH_CALLER), strangers: new RateBound(EACH_STRANGER) };
  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const asset = assets.get(path);
    try {
      refuseForeign(request, ports.hosts);
      if (path.startsWith('/api/')) {
        void answer({ request, response, path: path.slice('/api/'.length) }, ports, bounds);
        return;
      }
      if (!asset) throw new Refusal(404, 'NOT_FOUND', 'NOT_FOUND', 'no such page');
      if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongMethod('GET');
      sendAsset(request, response, asset);
    } catch (error) {
      refuse(response, error, ports);
    }
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Below `/api/`. */
  readonly path: string;
}

interface Bounds {
  readonly callers: RateBound;
  readonly strangers: RateBound;
}

async function answer(exchange: Exchange, ports: DashboardPorts, bounds: Bounds): Promise<void> {
  const { request, response, path } = exchange;
  const begun = performance.now();
  const peer = request.socket.remoteAddress ?? '';
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let caller: Caller | undefined;
  let target: Target = {};
  const ended = (error?: { readonly code: string; readonly reason: string }) => {
    const what = path.replace('/', '.').slice(0, 64);
    const ms = performance.now() - begun;
    ports.ended({ what, ...target, caller: caller?.name, peer, ms, ...error });
  };
  try {
    if (request.method !== 'POST') throw wrongMethod('POST');
    caller = await admitted(request, ports, bounds.strangers);
    bounds.callers.take(caller.name);
    const body = await readBody(request);
    if (path.startsWith('change/')) target = targetOf(body);
    const context = { signal: gone.signal, deadline: Date.now() + DEADLINE_MS };
    sendJson(response, 200, await run(path, body, { caller, context, ports }));
    ended();
  } catch (error) {
    if (gone.signal.aborted) return;
    ended(refuse(response, error, ports));
  }
}

/** Who asks. A stranger has few tries; a browser shows what it has with each request, right or wrong. */
async function admitted(
  { headers, socket }: IncomingMessage,
  ports: DashboardPorts,
  strangers: RateBound,
): Promise<Caller> {
  const peer = socket.remoteAddress ?? '';
  try {
    return await ports.admit(headers.authorization, peer);
  } catch (error) {
    strangers.take(peer);
    throw error;
  }
}

interface Run {
  readonly caller: Caller;
  readonly context: RequestContext;
  readonly ports: DashboardPorts;
}

async function run(
  path: string,
  body: Readonly<Record<string, unknown>>,
  { caller, context, ports }: Run,
): Promise<unknown> {
  const { name, namespace } = caller;
  if (path === 'session') return { name, namespace, open: ports.open, version: ports.version };
  if (path === 'show') {
    return show(body, { caller, context }, (error) => errorAnswer(error, ports.reportBug).error);
  }
  const [, action] = /^change\/(\w+)$/.exec(path) ?? [];
  if (action !== undefined) return change(action, body, { caller, context });
  throw new Refusal(404, 'NOT_FOUND', 'NOT_FOUND', 'no such call');
}

function refuse(response: ServerResponse, error: unknown, { reportBug }: DashboardPorts) {
  const { status, error: told } = errorAnswer(error, reportBug);
  const more: Record<string, string> = {};
  if (status === 401) more['www-authenticate'] = 'Bearer';
  if (status === 429) more['retry-after'] = '1';
  // The rest of a body that nobody reads would be taken for the next request.
  if (status === 413) more.connection = 'close';
  sendJson(response, status, { error: told }, more);
  return told;
}

function wrongMethod(method: string): Refusal {
  return new Refusal(405, 'UNIMPLEMENTED', 'INVALID_FIELD', `method: ${method} alone`);
}
