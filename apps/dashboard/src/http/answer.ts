import type { ServerResponse } from 'node:http';
import { type ErrorReport, errorReport } from '@echomq/engine';

/**
 * Nothing from elsewhere, no scripts or styles but those files of ours, nobody may frame the page. What runs there holds a
 * token, so that a payload which became a tag would be the worst that can happen here.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** HTTP's statuses for canonical codes; what is not here is 500. */
const STATUSES: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  FAILED_PRECONDITION: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** What the page is told of an error. */
export interface ErrorAnswer {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

/** Refuses a request before anything was asked of the engine. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** An error as the page gets it, with the status; our own bugs as an id, and reported. */
export function errorAnswer(
  error: unknown,
  reportBug: (id: string, error: unknown) => void,
): { readonly status: number; readonly error: ErrorAnswer } {
  if (error instanceof Refusal) {
    const { status, code, reason, message } = error;
    return { status, error: { code, reason, message } };
  }
  const report: ErrorReport = errorReport(error);
  if (report.id !== undefined) reportBug(report.id, error);
  const { code, reason, message } = report;
  return { status: STATUSES[code] ?? 500, error: { code, reason, message } };
}

/** Sends JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...HEADERS, ...JSON_TYPE, ...headers });
  response.end(JSON.stringify(body));
}
