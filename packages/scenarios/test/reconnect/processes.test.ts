import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, privateRedis, useStarted } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { add, cpuTimeMs, gatewayProcess, PATIENCE_MS, refusalOf, useRig } from '../../src/index.js';

const rig = useRig({ proxied: true });
/** A server on a port, for gateways that reach it by a name. */
const named = useStarted(() => privateRedis());

describe('a store that is not there', () => {
  it('T031 close while reconnecting: worker and gateway end within their limits', async () => {
    const queue = rig.freshQueue();
    const gateway = await rig.another({ processes: true });
    const connection = rig.connection({ address: gateway.address });
    const worker = rig.worker(queue.name, () => sleep(60_000, null, { ref: false }), {
      connection,
    });
    await rig.queue(queue.name, connection).add('x', {});
    await eventually(() => expect(worker.running).toBe(1), PATIENCE_MS);
    rig.store.refuse();
    rig.store.cut();
    onTestFinished(() => rig.store.accept());
    const from = performance.now();
    await worker.close({ timeoutMs: 500 });
    await connection.close();
    // The limit, and the farewell of 2 s that nobody answers.
    expect(performance.now() - from).toBeLessThan(10_000);
    gateway.process?.kill('SIGTERM');
    expect(await gateway.process?.exit.wait(10_000)).toEqual({ code: 0, signal: null });
    await rig.store.accept();
  });

  it('T032 start while store/DNS is down: not ready until the name is known, then works without a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-names-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'known');
    const fixture = fileURLToPath(new URL('../fixtures/name-server.mjs', import.meta.url));
    const gateway = await gatewayProcess([`--redis-url=redis://store.test:${named.value.port}`], {
      nodeArgs: ['--import', fixture],
      env: { NAME_SERVER: file },
    });
    onTestFinished(() => gateway.stop());
    const raw = rig.raw(gateway.address);
    const ran: number[] = [];
    const connection = rig.connection({ address: gateway.address });
    rig.worker('by-name', () => void ran.push(1), { connection });
    const refused = await refusalOf(add(raw, 'by-name'));
    expect([refused.status, refused.reason]).toEqual(['UNAVAILABLE', 'BACKEND_UNAVAILABLE']);
    await sleep(1_000);
    writeFileSync(file, '');
    await eventually(() => add(raw, 'by-name'), PATIENCE_MS);
    await eventually(() => expect(ran).toEqual([1]), PATIENCE_MS);
    expect(gateway.process?.exit.settled).toBe(false);
    const log = gateway.process?.lines.items.join('\n');
    expect(log).not.toMatch(/unhandled|uncaught/);
    expect(log).toContain('"ready":true');
  });

  it('T039 busy loop: a gateway without its store and a worker without its gateway hardly use the CPU', async () => {
    const queue = rig.freshQueue();
    const gateway = await rig.another({ processes: true });
    const pid = gateway.process?.pid ?? 0;
    const raw = rig.raw(gateway.address);
    const worker = rig.worker(queue.name, () => {}, {
      connection: rig.connection({ address: gateway.address }),
    });
    const told: unknown[] = [];
    worker.on('disconnected', (error) => told.push(error));
    await worker.waitUntilReady();
    await add(raw, queue.name);
    rig.store.refuse();
    rig.store.cut();
    onTestFinished(() => rig.store.accept());
    await sleep(500);
    const SPAN_MS = 3_000;
    const idle = cpuTimeMs(pid);
    await sleep(SPAN_MS);
    expect(cpuTimeMs(pid) - idle).toBeLessThan(SPAN_MS / 10);
    // Its gateway goes as well: the worker tells of it, and waits longer and longer.
    await gateway.stop();
    await eventually(() => expect(told.length).toBeGreaterThan(0), PATIENCE_MS);
    const attempts = told.length;
    await sleep(SPAN_MS);
    expect(told.length - attempts).toBeLessThan(20);
    await rig.store.accept();
  });
});
