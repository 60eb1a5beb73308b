import { GetJobStateRequest, WorkRequest } from '@echomq/proto/messages';
import {
  GatewayServiceClient,
  QueueServiceClient,
  WorkerServiceClient,
} from '@echomq/proto/services';
import { collect, eventually } from '@echomq/testkit';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { accessFile, bearer, entry } from './access-files.js';
import { failureOf, takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { HealthClient, healthOf } from './health-client.js';
import { serving } from './serving.js';

const engine = () => new FakeEngine({ gateway: { getServerInfo: async () => ({}) as never } });

/** A gateway with an access file, and how a call with some metadata ends. */
async function withTokens(entries: readonly object[], env: Readonly<Record<string, string>> = {}) {
  const file = accessFile(entries);
  const fake = engine();
  const served = await serving(fake, {
    ECHOMQ_ACCESS_FILE: file.path,
    ECHOMQ_RELOAD_MS: '20',
    ...env,
  });
  const client = served.client(GatewayServiceClient);
  const call = (metadata: Metadata) => unary((done) => client.getServerInfo({}, metadata, done));
  const outcome = async (metadata: Metadata) => {
    try {
      await call(metadata);
      return 'OK';
    } catch (error) {
      const { status, info } = takenApart(error as ServiceError);
      return `${status} ${info?.reason}`;
    }
  };
  return { ...served, file, fake, outcome };
}

const INVALID = 'UNAUTHENTICATED CREDENTIALS_INVALID';

describe('a bearer token', () => {
  it('opens the gateway to the one that it belongs to', async () => {
    const { outcome } = await withTokens([entry('anna', 'secret-1'), entry('ben', 'secret-2')]);
    expect(await outcome(bearer('secret-1'))).toBe('OK');
    expect(await outcome(bearer('secret-2'))).toBe('OK');
    const lower = new Metadata();
    lower.set('authorization', 'bearer secret-1');
    expect(await outcome(lower)).toBe('OK');
  });

  it('that is missing, unknown or malformed is told from one that has expired; none reaches the engine', async () => {
    const { outcome, fake } = await withTokens([
      entry('old', 'expired', { expires: '2020-01-01' }),
      entry('anna', 'secret-1', { expires: '2999-01-31T12:00:00Z' }),
    ]);
    const headers = (...values: string[]) => {
      const metadata = new Metadata();
      for (const value of values) metadata.add('authorization', value);
      return metadata;
    };
    expect(await outcome(new Metadata())).toBe('UNAUTHENTICATED CREDENTIALS_MISSING');
    expect(await outcome(bearer('secret-3'))).toBe(INVALID);
    expect(await outcome(headers('Basic c2VjcmV0LTE6'))).toBe(INVALID);
    expect(await outcome(headers('secret-1'))).toBe(INVALID);
    expect(await outcome(headers('Bearer'))).toBe(INVALID);
    expect(await outcome(bearer('expired'))).toBe('UNAUTHENTICATED CREDENTIALS_EXPIRED');
    expect(fake.reached).toEqual([]);
    expect(await outcome(bearer('secret-1'))).toBe('OK');
    expect(fake.reached).toEqual(['getServerInfo']);
  });

  it('is asked for by each kind of call, and not by health', async () => {
    const { client, fake } = await withTokens([entry('anna', 'secret-1')]);
    const worker = client(WorkerServiceClient);
    const errors = collect<ServiceError>('errors');
    const work = worker.work();
    work.on('error', errors.push);
    work.resume();
    work.write(WorkRequest.fromPartial({}));
    const data = worker.getJobData({ target: undefined });
    data.on('error', errors.push);
    data.resume();
    const state = GetJobStateRequest.fromPartial({ queue: 'q', jobId: '1' });
    const queue = client(QueueServiceClient);
    errors.push(await failureOf(unary((done) => queue.getJobState(state, done))));
    for (const error of await errors.waitFor(3)) {
      expect(takenApart(error)).toMatchObject({
        status: 'UNAUTHENTICATED',
        sameInDetails: true,
        info: { reason: 'CREDENTIALS_MISSING', domain: 'echomq' },
      });
    }
    expect(fake.reached).toEqual([]);
    expect(await healthOf(client(HealthClient))).toBe('SERVING');
  });

  it('is taken as the file says by now', async () => {
    const { outcome, file, log } = await withTokens([entry('anna', 'secret-1')]);
    file.write([entry('anna', 'secret-2')]);
    await eventually(async () => expect(await outcome(bearer('secret-2'))).toBe('OK'));
    expect(await outcome(bearer('secret-1'))).toBe(INVALID);
    file.write([{ principal: 'anna', sha256: 'no hash' }]);
    await eventually(() => expect(log.lines.map(({ event }) => event)).toContain('access.bad'));
    expect(await outcome(bearer('secret-2'))).toBe('OK');
    file.write([entry('anna', 'secret-3')]);
    await eventually(async () => expect(await outcome(bearer('secret-3'))).toBe('OK'));
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ event: 'callers.refused' }),
      expect.objectContaining({
        facts: {
          path: file.path,
          problem: 'access.yaml:5 sha256: must be a SHA-256 of 64 hex digits',
        },
      }),
    ]);
  });

  it('that is refused is told to the log once, without the token', async () => {
    const { outcome, log } = await withTokens([entry('anna', 'secret-1')]);
    for (let i = 0; i < 20; i += 1) await outcome(bearer('secret-wrong'));
    await outcome(new Metadata());
    const lines = log.lines.filter(({ event }) => event === 'callers.refused');
    expect(lines.map(({ facts }) => facts)).toEqual([
      { reason: 'CREDENTIALS_INVALID', count: 1, lastPeer: expect.any(String) },
      { reason: 'CREDENTIALS_MISSING', count: 1, lastPeer: expect.any(String) },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('secret-');
  });

  it('counts for nothing where nobody is asked', async () => {
    const served = await serving(engine());
    const client = served.client(GatewayServiceClient);
    await unary((done) => client.getServerInfo({}, bearer('whatever'), done));
  });
});
