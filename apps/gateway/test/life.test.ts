import { WorkerServiceClient } from '@echomq/proto/services';
import { collect, signal } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { SERVICE_NAMES } from '../src/binding/services.js';
import { serve } from '../src/serve.js';
import { unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { HealthClient, healthOf } from './health-client.js';
import { clientOf, keptLog, serving, testConfig } from './serving.js';

describe('health', () => {
  it('follows the engine for each service; liveness stays', async () => {
    const engine = new FakeEngine();
    const health = (await serving(engine)).client(HealthClient);
    const names = ['', ...SERVICE_NAMES];
    expect(names).toHaveLength(7);
    for (const [ready, expected] of [
      [false, 'NOT_SERVING'],
      [true, 'SERVING'],
      [false, 'NOT_SERVING'],
      [true, 'SERVING'],
    ] as const) {
      engine.turn(ready);
      for (const name of names)
        expect([name, await healthOf(health, name)]).toEqual([name, expected]);
      expect(await healthOf(health, 'liveness')).toBe('SERVING');
    }
  });

  it('tells its watchers of each change once', async () => {
    const engine = new FakeEngine();
    const health = (await serving(engine)).client(HealthClient);
    const seen = collect<{ status: string }>('states');
    const watching = health.watch({ service: 'echomq.v1.WorkerService' });
    watching.on('data', seen.push);
    watching.on('error', () => undefined);
    await seen.waitFor(1);
    for (const ready of [false, false, true, true]) engine.turn(ready);
    await seen.waitFor(3);
    expect(seen.items.map(({ status }) => status)).toEqual(['SERVING', 'NOT_SERVING', 'SERVING']);
    watching.cancel();
  });
});

describe('the start', () => {
  it('waits a moment for Redis, so that the first call finds it', async () => {
    const engine = new FakeEngine();
    engine.turn(false);
    const starting = serving(engine);
    setImmediate(() => engine.turn(true));
    expect(await healthOf((await starting).client(HealthClient))).toBe('SERVING');
  });

  it('listens also while Redis is away', async () => {
    const engine = new FakeEngine();
    engine.turn(false);
    const health = (await serving(engine)).client(HealthClient);
    expect(await healthOf(health)).toBe('NOT_SERVING');
  });
});

describe('the end', () => {
  it('comes in its order: health, drain, goodbye, engine', async () => {
    const engine = new FakeEngine();
    const gateway = await serve(engine, testConfig({ ECHOMQ_DRAIN_TIMEOUT_MS: '777' }), keptLog());
    const health = clientOf(gateway.address, HealthClient);
    const seen: string[] = [];
    engine.whileDraining = async () => {
      seen.push(await healthOf(health), await healthOf(health, 'liveness'));
      engine.turn(true);
      seen.push(await healthOf(health));
    };
    await Promise.all([gateway.close(), gateway.close()]);
    expect(engine.steps).toEqual(['start', 'drain 777', 'drained', 'close']);
    expect(seen).toEqual(['NOT_SERVING', 'SERVING', 'NOT_SERVING']);
  });

  it('T114 graceful stop cuts unary: lets a call that is under way finish', async () => {
    const began = signal('the call');
    const goOn = signal('leave to go on');
    const engine = new FakeEngine({
      worker: {
        updateProgress: async () => {
          began.resolve();
          await goOn.wait();
          return {};
        },
      },
    });
    const { gateway, client } = await serving(engine);
    const worker = client(WorkerServiceClient);
    const call = unary((done) =>
      worker.updateProgress({ lease: undefined, progress: Buffer.alloc(0) }, done),
    );
    await began.wait();
    const closed = gateway.close();
    setImmediate(() => goOn.resolve());
    await call;
    await closed;
  });

  it('cuts a stream that nobody ends, after two seconds', async () => {
    const opened = signal('the stream');
    const aborted = signal('the abort');
    const engine = new FakeEngine({
      worker: {
        work: async (_link, { signal }) => {
          opened.resolve();
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          aborted.resolve();
        },
      },
    });
    const { gateway, client } = await serving(engine);
    const stream = client(WorkerServiceClient).work();
    stream.on('error', () => undefined);
    stream.resume();
    await opened.wait();
    const begun = performance.now();
    await gateway.close();
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    await aborted.wait();
  });

  it('closes the engine when the address is taken', async () => {
    const { gateway } = await serving(new FakeEngine());
    const engine = new FakeEngine();
    const config = testConfig({ ECHOMQ_LISTEN: gateway.address });
    await expect(serve(engine, config, keptLog())).rejects.toThrow(
      /listen: cannot listen on 127.0.0.1:\d+: another process listens there already/,
    );
    expect(engine.steps).toEqual(['start', 'close']);
  });
});
