import type { NewJob, QueueKeys, Receipt } from '@echomq/core';
import type { Held } from './call-case.js';

/** The life of a lock, ms. */
export const LOCK_MS = 30_000;
/** The life of a receipt, ms, of a hash of slots, and of an interval between two stalled sweeps. */
export const RECEIPT_MS = 120_000;
export const SLOTS_MS = 180_000;
export const SWEEP_MS = 30_000;

/** What every job carries, and how its runs end. */
export const NO_OPTIONS = '{"attempts":0}';
export const DATA = '{"n":1}';
export const RESULT = '{"ok":true}';
export const REASON = 'boom';
export const STACK = 'Error: boom';

/** Digests of a session, of a request and of a body have 22 characters. */
const SESSION = 's'.repeat(22);
const REQUEST = 'r'.repeat(22);
export const DIGEST = 'd'.repeat(22);

/** A job to add. */
export function job(more: Partial<NewJob> = {}): NewJob {
  return { name: 'job', data: DATA, opts: NO_OPTIONS, ...more };
}

/** The hash in which a worker, or a process that adds, has its receipts. */
export function sessionKey(keys: QueueKeys): string {
  return keys.sessionReceipts(SESSION);
}

/** Where an add that came through a gateway leaves its receipt. */
export function requestKey(keys: QueueKeys): string {
  return keys.requestReceipts(REQUEST);
}

/** The slot of an add whose caller is in the process; the life of its hash was said not long ago, but by the first call. */
export function addSlot(keys: QueueKeys, seq: number, field = '0'): Receipt {
  const said = seq > 1 ? { said: true } : {};
  return { key: sessionKey(keys), field, digest: '', ttl: SLOTS_MS, seq, ...said };
}

/** The receipt of an add, or of a bulk, that came through a gateway. */
export function requestReceipt(keys: QueueKeys): Receipt {
  return { key: requestKey(keys), digest: DIGEST, ttl: RECEIPT_MS };
}

/** The slot of a report of a worker in the process; the life of its hash was said not long ago, but by the first call. */
export function reportSlot(keys: QueueKeys, call: number, field = '0'): Receipt {
  const said = call > 1 ? { said: true } : {};
  const digest = String(call);
  return { key: sessionKey(keys), field, digest, ttl: SLOTS_MS, slot: true, fresh: true, ...said };
}

/** The receipt of a report of a worker at a gateway, which has acknowledged the one before. */
export function reportReceipt(keys: QueueKeys, reportId: number): Receipt {
  const acked = reportId > 1 ? { acked: [String(reportId - 1)] } : {};
  const field = String(reportId);
  return { key: sessionKey(keys), field, digest: DIGEST, ttl: RECEIPT_MS, fresh: true, ...acked };
}

/** The token of a first fetch; tokens have 22 characters. */
export function firstToken(at: number): string {
  return `first-${at}`.padEnd(22, '-');
}

/** The token of the job that the end of another one brings. */
export function nextToken({ jobId }: Held): string {
  return `next-${jobId}`.padEnd(22, '-');
}
