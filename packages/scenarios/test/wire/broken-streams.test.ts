import { constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Http2Proxy, http2Proxy, signal } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { add, checkBooks, idsIn, PATIENCE_MS, scaled, useRig } from '../../src/index.js';

const rig = useRig();
const WORK = '/echomq.v1.WorkerService/Work';
const CODES = scaled([14, 13, 4, 2, 8], [1, 14, 13, 4, 2, 8, 16, 7]);

async function hop(): Promise<Http2Proxy> {
  const proxy = await http2Proxy(Number(rig.gateways[0]?.address.split(':').at(-1)));
  onTestFinished(() => proxy.stop());
  return proxy;
}
const at = ({ port }: Http2Proxy) => rig.connection({ address: `127.0.0.1:${port}` });
const workOf = ({ streams }: Http2Proxy) => streams.filter(({ path }) => path === WORK);

describe('a stream that goes wrong alone', () => {
  it('T106 zombie worker: a stream that is frozen gets no more jobs, and its worker comes back', async () => {
    const queue = rig.freshQueue();
    const proxy = await hop();
    const ran: string[] = [];
    const connection = at(proxy);
    const first = rig.worker(queue.name, (job) => void ran.push(`first ${job.id}`), {
      connection,
      lockDuration: 1_500,
      concurrency: 2,
    });
    await first.waitUntilReady();
    for (const stream of workOf(proxy)) stream.hold();
    // The gateway hears nothing and leaves the stream; what was delivered to it meanwhile goes to another.
    const raw = rig.raw();
    const ids = [
      await add(raw, queue.name),
      await add(raw, queue.name),
      await add(raw, queue.name),
    ];
    const second = rig.worker(queue.name, (job) => void ran.push(`second ${job.id}`));
    await eventually(
      () => expect([...ran].sort()).toEqual(ids.map((id) => `second ${id}`).sort()),
      PATIENCE_MS,
    );
    // Calls of other kinds went on all the while.
    await rig.queue(queue.name, connection).getJobCounts('waiting');
    // As it is written the worker finds out by the silence alone, after 37 s; quickly that is tested in the SDK.
    if (scaled(true, false)) for (const stream of workOf(proxy)) stream.release();
    await second.close();
    const later = await add(raw, queue.name);
    ids.push(later);
    await eventually(() => expect(ran).toContain(`first ${later}`), scaled(1, 3) * PATIENCE_MS);
    await eventually(() => expect(workOf(proxy).length).toBe(1), PATIENCE_MS);
    await eventually(async () => {
      const state = await queue.read();
      expect(checkBooks(state, { accepted: ids, atRest: true })).toEqual([]);
    });
    const state = await queue.read();
    expect(ids.filter((id) => 'stc' in (state[id] as object))).toEqual([]);
  });

  it('T107 idle stream cut by proxy: a worker whose idle stream is cut again and again begins a job at once', async () => {
    const queue = rig.freshQueue();
    const proxy = await hop();
    proxy.idleLimitMs = scaled(250, 5_000);
    const begun = signal('the job');
    const worker = rig.worker(queue.name, () => begun.resolve(), { connection: at(proxy) });
    await worker.waitUntilReady();
    await sleep(scaled(3_000, 60_000));
    await add(rig.raw(), queue.name);
    // A second on a quiet machine.
    await begun.wait(scaled(4_000, 1_000));
    expect(proxy.count(WORK)).toBeGreaterThan(1);
  });

  it('T108 reconnect loses running work: a job outlives the loss of its stream, for as long as that may take', async () => {
    const queue = rig.freshQueue();
    const proxy = await hop();
    const LOCK = scaled(2_000, 10_000);
    const begun = signal('the job');
    const worker = rig.worker(
      queue.name,
      async () => {
        begun.resolve();
        await sleep(3 * LOCK);
        return 'first';
      },
      { connection: at(proxy), lockDuration: LOCK },
    );
    await worker.waitUntilReady();
    const id = await add(rig.raw(), queue.name);
    await begun.wait(PATIENCE_MS);
    // Its acceptance is on the way.
    await sleep(LOCK / 4);
    const elsewhere: string[] = [];
    rig.worker(queue.name, (job) => void elsewhere.push(job.id));
    proxy.onStream = (stream) => {
      if (stream.path === WORK) stream.reset(constants.NGHTTP2_REFUSED_STREAM);
    };
    for (const stream of workOf(proxy)) stream.reset();
    // Longer than a gateway renews for a worker that it no longer hears, and than the lock lives after that.
    await sleep(2.5 * LOCK);
    proxy.onStream = undefined;
    await eventually(
      async () => expect(await queue.read()).toMatchObject({ [id]: { returnvalue: '"first"' } }),
      PATIENCE_MS,
    );
    expect(elsewhere).toEqual([]);
    const state = await queue.read();
    expect(state[id]).toMatchObject({ ats: '1', atm: '1' });
    expect(checkBooks(state, { accepted: [id], atRest: true })).toEqual([]);
  });

  it('T109 remote cancel = exit: a worker outlives every status, a reset and a GOAWAY', async () => {
    const queue = rig.freshQueue();
    const proxy = await hop();
    const ran: string[] = [];
    const done: string[] = [];
    const handler = (job: { readonly id: string }) => void ran.push(job.id);
    const worker = rig.worker(queue.name, handler, { connection: at(proxy) });
    worker.on('completed', (job) => done.push(job.id));
    const ends = [
      ...CODES.map((code) => () => workOf(proxy).map((stream) => stream.fail(code, 'for a test'))),
      () => workOf(proxy).map((stream) => stream.reset(constants.NGHTTP2_CANCEL)),
      () => workOf(proxy).map((stream) => stream.reset(constants.NGHTTP2_INTERNAL_ERROR)),
      () => proxy.goAway(),
    ];
    for (const end of ends) {
      await eventually(() => expect(workOf(proxy).length).toBe(1), PATIENCE_MS);
      const id = await add(rig.raw(), queue.name);
      // A stream that ends before its delivery was accepted gives the job back, and it may run again.
      await eventually(() => expect(done).toContain(id), PATIENCE_MS);
      end();
    }
    const last = await add(rig.raw(), queue.name);
    await eventually(() => expect(ran).toContain(last), PATIENCE_MS);
    expect(new Set(ran).size).toBe(ran.length);
  });
});

describe('a gateway that refuses for a while', () => {
  it('T127 transient auth refusal kills worker: it backs off, tells of it, and goes on by itself', async () => {
    const queue = rig.freshQueue();
    const proxy = await hop();
    const ran: string[] = [];
    const told: string[] = [];
    const worker = rig.worker(queue.name, (job) => void ran.push(job.id), {
      connection: at(proxy),
    });
    worker.on('error', (error) => told.push(error.name));
    await worker.waitUntilReady();
    let attempts = 0;
    proxy.onStream = (stream) => {
      attempts += 1;
      setImmediate(() => stream.fail(attempts % 2 === 0 ? 16 : 7, 'not now'));
    };
    for (const stream of workOf(proxy)) stream.fail(16, 'not now');
    await sleep(scaled(3_000, 60_000));
    // It waits longer and longer, 10 s at most.
    expect(attempts).toBeGreaterThan(0);
    expect(attempts).toBeLessThan(scaled(30, 60));
    expect(told).toContain('AccessDenied');
    proxy.onStream = undefined;
    const id = await add(rig.raw(), queue.name);
    const done = async () => expect(idsIn(await queue.read(), 'completed')).toEqual([id]);
    await eventually(done, PATIENCE_MS);
    expect(ran).toEqual([id]);
    expect(idsIn(await queue.read(), 'active')).toEqual([]);
  });
});
