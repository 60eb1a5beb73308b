import { expect } from 'vitest';
import type { Promised } from './declared.js';
import type { Failure } from './failure.js';

/** What must not leave the gateway: text of Lua and Redis, stacks, names of keys, paths of files. */
const SECRETS: readonly RegExp[] = [
  /user_script|@user_script|\.lua\b|redis\.call|EVALSHA|NOSCRIPT/i,
  /\b(ERR|WRONGTYPE|OOM|READONLY|MISCONF|LOADING|BUSY|NOPERM|NOAUTH|CROSSSLOT) /,
  /^\s+at .+:\d+/m,
  /\.(ts|js|mjs):\d+/,
  /\bbull:|:(wait|active|paused|delayed|prioritized|completed|failed|meta|events|lock|marker)\b/,
  /ECONN|ENOENT|EPIPE|\/(tmp|home|var|usr)\//,
];

/** Holds an error against what errors.proto promises of its reason, and looks for what it must not tell. */
export function expectKept(failure: Failure, reason: string, promise: Promised | undefined): void {
  const { status, domain, fields, retryMs, pushbackMs, metadata } = failure;
  expect({ reason: failure.reason, status, domain }).toEqual({
    ...{ reason, domain: 'echomq' },
    status: promise?.status,
  });
  if (promise?.detail === 'BadRequest') expect(fields.length).toBeGreaterThan(0);
  else expect(fields).toEqual([]);
  if (promise?.detail === 'RetryInfo') {
    expect(retryMs).toBeGreaterThan(0);
    expect(pushbackMs).toBe(String(retryMs));
  } else {
    expect([retryMs, pushbackMs]).toEqual([undefined, undefined]);
  }
  expect(failure.message).not.toBe('');
  for (const text of [...failure.texts, ...Object.keys(metadata)]) {
    for (const secret of SECRETS) expect(text).not.toMatch(secret);
  }
}
