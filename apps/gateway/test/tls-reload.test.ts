import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { WorkRequest, type WorkResponse } from '@echomq/proto/messages';
import { GatewayServiceClient, WorkerServiceClient } from '@echomq/proto/services';
import { collect, eventually } from '@echomq/testkit';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile, testFolder } from './access-files.js';
import { type Authority, makeAuthority, type Pair } from './authority.js';
import { failureOf, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { portOf, serving } from './serving.js';

const LOCAL = ['DNS:localhost', 'IP:127.0.0.1'];

const folder = mkdtempSync(join(tmpdir(), 'echomq-certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let one: Authority;
let other: Authority;
let first: Pair;
let second: Pair;
let foreign: Pair;
beforeAll(async () => {
  [one, other] = await Promise.all([makeAuthority(folder), makeAuthority(folder)]);
  [first, second, foreign] = await Promise.all([
    one.issue('first', ...LOCAL),
    one.issue('second', ...LOCAL),
    other.issue('foreign', ...LOCAL),
  ]);
});

/** A gateway over TLS whose Work streams echo: each request brings a message. */
async function served(pair: Pair, clientCa?: string) {
  const folder = testFolder();
  const paths = { cert: join(folder, 'cert'), key: join(folder, 'key'), ca: join(folder, 'ca') };
  const write = ({ cert, key }: Pair) => {
    replaceFile(paths.cert, cert);
    replaceFile(paths.key, key);
  };
  write(pair);
  if (clientCa) replaceFile(paths.ca, clientCa);
  const engine = new FakeEngine({
    gateway: { getServerInfo: async () => ({}) as never },
    worker: {
      work: async (link) => {
        for await (const _ of link.requests) link.send({ message: undefined } as WorkResponse);
      },
    },
  });
  const served = await serving(engine, {
    ECHOMQ_TLS_CERT: paths.cert,
    ECHOMQ_TLS_KEY: paths.key,
    ECHOMQ_RELOAD_MS: '20',
    ...(clientCa ? { ECHOMQ_TLS_CLIENT_CA: paths.ca } : {}),
  });
  const target = `localhost:${portOf(served.gateway.address)}`;
  return { ...served, paths, write, target };
}

/** The common name in the certificate that a new handshake shows. */
function shown(target: string): Promise<string> {
  const [host = '', port] = target.split(':');
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] },
      () => {
        const { CN } = socket.getPeerCertificate().subject;
        resolve(String(CN));
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

function ask(target: string, channel: ChannelCredentials): Promise<unknown> {
  const client = new GatewayServiceClient(target, channel, { 'grpc.use_local_subchannel_pool': 1 });
  onTestFinished(() => client.close());
  return unary((done) => client.getServerInfo({}, done));
}

const trusting = (ca: string, pair?: Pair) =>
  pair
    ? credentials.createSsl(Buffer.from(ca), Buffer.from(pair.key), Buffer.from(pair.cert))
    : credentials.createSsl(Buffer.from(ca));

describe('T120 certificate reload: a certificate that is renewed', () => {
  it('is shown by the next handshake, while streams of before live on', async () => {
    const { target, write, log } = await served(first);
    const worker = new WorkerServiceClient(target, trusting(one.cert));
    onTestFinished(() => worker.close());
    const stream = worker.work();
    const echoes = collect<WorkResponse>('echoes');
    stream.on('data', echoes.push);
    stream.on('error', () => undefined);
    stream.write(WorkRequest.fromPartial({}));
    await echoes.waitFor(1);
    expect(await shown(target)).toBe('first');
    write(second);
    await eventually(async () => expect(await shown(target)).toBe('second'));
    await ask(target, trusting(one.cert));
    stream.write(WorkRequest.fromPartial({}));
    await echoes.waitFor(2);
    expect(log.lines.filter(({ level }) => level === 'warn')).not.toContainEqual(
      expect.objectContaining({ event: 'certificates.bad' }),
    );
    stream.cancel();
  });

  it('and does not fit its key leaves the last good pair, with a warning, until it does', async () => {
    const { target, paths, log } = await served(first);
    const warnings = () => log.lines.filter(({ event }) => event === 'certificates.bad');
    replaceFile(paths.cert, second.cert);
    await eventually(() => expect(warnings()).toHaveLength(1));
    expect(await shown(target)).toBe('first');
    await ask(target, trusting(one.cert));
    replaceFile(paths.cert, 'no certificate');
    await eventually(() => expect(warnings()).toHaveLength(2));
    expect(await shown(target)).toBe('first');
    replaceFile(paths.cert, second.cert);
    replaceFile(paths.key, second.key);
    await eventually(async () => expect(await shown(target)).toBe('second'));
    expect(JSON.stringify(log.lines)).not.toContain('PRIVATE KEY');
  });
});

describe('T120 certificate reload: an authority of clients that is replaced', () => {
  it('lets in those that it signed, and no longer the others; bad ones change nothing', async () => {
    const [old, fresh] = await Promise.all([one.issue('old'), other.issue('new')]);
    const { target, paths, log } = await served(first, one.cert);
    const works = (pair: Pair) => ask(target, trusting(one.cert, pair));
    await works(old);
    await failureOf(works(fresh));
    replaceFile(paths.ca, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await eventually(() =>
      expect(log.lines).toContainEqual(expect.objectContaining({ event: 'certificates.bad' })),
    );
    await works(old);
    replaceFile(paths.ca, `${one.cert}${other.cert}`);
    await eventually(() => works(fresh));
    await works(old);
    replaceFile(paths.ca, other.cert);
    await eventually(async () => {
      await failureOf(works(old));
    });
    await works(fresh);
  });

  it('is not the one that servers are checked by', async () => {
    const { target } = await served(foreign);
    await failureOf(ask(target, trusting(one.cert)));
    await ask(target, trusting(other.cert));
  });
});
