import {
  SubscribeRequest,
  WorkerDirectiveAction,
  WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import { EventServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { collect, eventually, signal } from '@echomq/testkit';
import type { ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { accessFile, bearer, entry, replaceFile, testFolder } from './access-files.js';
import { takenApart } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { inSeconds, jwtEnv, makeKey, token } from './issuer.js';
import { serving } from './serving.js';

const SPANS = { ECHOMQ_AUTH_RECHECK_MS: '20', ECHOMQ_AUTH_GRACE_MS: '300', ECHOMQ_RELOAD_MS: '20' };

/** An engine whose Work streams and subscriptions live until they are aborted. */
function patient() {
  const aborted = collect<string>('aborts');
  const engine = new FakeEngine({
    worker: {
      work: async (_link, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted.push('work');
      },
    },
    event: {
      async *subscribe(_request, { signal }) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted.push('subscribe');
      },
    },
  });
  return { engine, aborted };
}

/** Opens a Work stream and follows what comes and how it ends. */
function follow(worker: InstanceType<typeof WorkerServiceClient>, jwt: string) {
  const stream = worker.work(bearer(jwt));
  const directives = collect<{ action: number; at: number }>('directives');
  const ended = signal<{ error: ServiceError; at: number }>('the end');
  stream.on('data', ({ message }: WorkResponse) => {
    if (message?.$case !== 'directive') return;
    directives.push({ action: message.value.action, at: performance.now() });
  });
  stream.on('error', (error: ServiceError) => ended.resolve({ error, at: performance.now() }));
  stream.write(WorkRequest.fromPartial({}));
  return { stream, directives, ended };
}

describe('a stream whose token expires', () => {
  it('is asked to reconnect, and ends after the grace; one with a longer token lives on', async () => {
    const key = await makeKey('one');
    const path = `${testFolder()}/keys.json`;
    replaceFile(path, JSON.stringify({ keys: [key.jwk] }));
    const { engine, aborted } = patient();
    // Long beside the time by which a busy machine may hand the directive over too late.
    const spans = { ...SPANS, ECHOMQ_AUTH_GRACE_MS: '2000' };
    const { client, gateway } = await serving(engine, { ...jwtEnv(path), ...spans });
    const worker = client(WorkerServiceClient);
    const short = follow(worker, await token(key, { exp: inSeconds(2) }));
    const long = follow(worker, await token(key, { exp: inSeconds(100) }));
    const [asked] = await short.directives.waitFor(1);
    expect(asked?.action).toBe(WorkerDirectiveAction.RECONNECT);
    const { error, at } = await short.ended.wait();
    expect(takenApart(error)).toMatchObject({
      status: 'UNAUTHENTICATED',
      info: { reason: 'CREDENTIALS_EXPIRED' },
    });
    expect(at - (asked?.at ?? 0)).toBeGreaterThan(1_000);
    expect(short.directives.items).toHaveLength(1);
    expect(await aborted.waitFor(1)).toEqual(['work']);
    expect(long.directives.items).toEqual([]);
    long.stream.cancel();
    await long.ended.wait();
    await aborted.waitFor(2);
    await gateway.close();
  });

  it('ends at once where nobody can be asked', async () => {
    const entries = (expires: string) => [entry('anna', 'secret-1', { expires })];
    const soon = new Date(Date.now() + 1_500).toISOString();
    const file = accessFile(entries(soon));
    const { engine, aborted } = patient();
    const { client } = await serving(engine, { ECHOMQ_ACCESS_FILE: file.path, ...SPANS });
    const request = SubscribeRequest.fromPartial({ queue: 'q' });
    const stream = client(EventServiceClient).subscribe(request, bearer('secret-1'));
    const ended = signal<ServiceError>('the end');
    stream.on('error', (error: ServiceError) => ended.resolve(error));
    stream.resume();
    expect(takenApart(await ended.wait())).toMatchObject({
      status: 'UNAUTHENTICATED',
      info: { reason: 'CREDENTIALS_EXPIRED' },
    });
    expect(await aborted.waitFor(1)).toEqual(['subscribe']);
  });
});

describe('a stream whose token is withdrawn', () => {
  it.each([
    ['it is gone from the file', []],
    ['its rights have changed', [entry('anna', 'secret-1', { acl: [] })]],
  ])('%s: it is asked to reconnect, and ends', async (_, after) => {
    const file = accessFile([entry('anna', 'secret-1'), entry('ben', 'secret-2')]);
    const { engine } = patient();
    const { client } = await serving(engine, { ECHOMQ_ACCESS_FILE: file.path, ...SPANS });
    const worker = client(WorkerServiceClient);
    const [anna, ben] = [follow(worker, 'secret-1'), follow(worker, 'secret-2')];
    await eventually(() => expect(engine.reached).toEqual(['work', 'work']));
    file.write([...after, entry('ben', 'secret-2')]);
    await anna.directives.waitFor(1);
    const { error } = await anna.ended.wait();
    expect(takenApart(error)).toMatchObject({
      status: 'UNAUTHENTICATED',
      info: { reason: 'CREDENTIALS_INVALID' },
    });
    expect(ben.directives.items).toEqual([]);
    ben.stream.cancel();
    await ben.ended.wait();
  });
});
