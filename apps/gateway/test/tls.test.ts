import { GetServerInfoResponse } from '@echomq/proto/messages';
import { GatewayServiceClient } from '@echomq/proto/services';
import { makeTlsFiles, type TlsFiles } from '@echomq/testkit';
import { type ChannelCredentials, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../src/serve.js';
import { failureOf, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { keptLog, portOf, serving, testConfig } from './serving.js';

let files: TlsFiles;
beforeAll(async () => {
  files = await makeTlsFiles();
});
afterAll(() => files.remove());

/** What GetServerInfo says through a channel with these credentials, or the error. */
function ask(address: string, channel: ChannelCredentials): Promise<string> {
  const client = new GatewayServiceClient(`localhost:${portOf(address)}`, channel);
  onTestFinished(() => client.close());
  const call = unary<GetServerInfoResponse>((done) => client.getServerInfo({}, done));
  return call.then((answer) => answer.serverInfo?.serverVersion ?? '');
}

const engine = () =>
  new FakeEngine({
    gateway: {
      getServerInfo: async () =>
        GetServerInfoResponse.fromPartial({ serverInfo: { serverVersion: '9' } }),
    },
  });

const trusting = () => credentials.createSsl(Buffer.from(files.caText));
const known = () =>
  credentials.createSsl(
    Buffer.from(files.caText),
    Buffer.from(files.clientKeyText),
    Buffer.from(files.clientCertText),
  );

describe('TLS', () => {
  it('serves those who trust its authority, and nobody in plain text', async () => {
    const env = { ECHOMQ_TLS_CERT: files.cert, ECHOMQ_TLS_KEY: files.key };
    const { gateway } = await serving(engine(), env);
    expect(await ask(gateway.address, trusting())).toBe('9');
    for (const channel of [credentials.createSsl(), credentials.createInsecure()]) {
      const error: ServiceError = await failureOf(ask(gateway.address, channel));
      expect(error.code).toBe(status.UNAVAILABLE);
    }
  });

  it('with an authority for clients serves only those that it signed', async () => {
    const env = {
      ECHOMQ_TLS_CERT: files.cert,
      ECHOMQ_TLS_KEY: files.key,
      ECHOMQ_TLS_CLIENT_CA: files.ca,
    };
    const { gateway } = await serving(engine(), env);
    expect(await ask(gateway.address, known())).toBe('9');
    expect((await failureOf(ask(gateway.address, trusting()))).code).toBe(status.UNAVAILABLE);
  });

  it('does not start with a file that is no certificate', async () => {
    const config = testConfig({ ECHOMQ_TLS_CERT: files.key, ECHOMQ_TLS_KEY: files.cert });
    const failed = engine();
    await expect(serve(failed, config, keptLog())).rejects.toThrow();
    expect(failed.steps).toEqual(['close']);
  });
});
