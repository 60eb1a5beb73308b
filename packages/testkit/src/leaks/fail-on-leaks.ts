import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { openResources } from './open-resources.js';
import { stillOpen } from './registry.js';

/** How long what has been closed may take to be gone: ioredis keeps a timer of 2 s after a close. */
const GRACE_MS = 3_000;

/**
 * What is open now and was not before: the testkit's own things by name, timers, sockets, servers
 * and child processes by count.
 */
export function leaksSince(before: ReadonlyMap<string, number>): string[] {
  const leaks = stillOpen();
  for (const [kind, count] of openResources()) {
    const more = count - (before.get(kind) ?? 0);
    if (more > 0) leaks.push(`${more} × ${kind}`);
  }
  return leaks;
}

/**
 * Fails the test file when it leaves something behind. Call it before every other hook of the file
 * (a set-up file does it for all): what runs first before the tests runs last after them.
 */
export function failOnLeaks(): void {
  let before: ReadonlyMap<string, number> = new Map();
  beforeAll(() => {
    const now = openResources();
    // The runner's own timers come and go: none is part of what may stay.
    now.delete('Timeout');
    before = now;
  });
  afterAll(async () => {
    const limit = performance.now() + GRACE_MS;
    while (leaksSince(before).length > 0 && performance.now() < limit) await sleep(10);
    const leaks = leaksSince(before);
    if (leaks.length > 0) throw new Error(`left behind by this file: ${leaks.join(', ')}`);
  });
}
