import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { QueueServiceClient } from '@echomq/proto/services';
import { eventually } from '@echomq/testkit';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Authenticator } from '../src/access/authenticator.js';
import { certificateIdentity } from '../src/access/certificate.js';
import { accessFile, bearer, entry, replaceFile, testFolder } from './access-files.js';
import { type Authority, makeAuthority, type Pair } from './authority.js';
import { takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { jwtEnv, makeKey, token } from './issuer.js';
import { portOf, serving } from './serving.js';

const folder = mkdtempSync(join(tmpdir(), 'echomq-certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let authority: Authority;
let server: Pair;
let mail: Pair;
let plain: Pair;
beforeAll(async () => {
  authority = await makeAuthority(folder);
  [server, mail, plain] = await Promise.all([
    authority.issue('localhost', 'DNS:localhost'),
    authority.issue('whoever', 'DNS:x', 'URI:spiffe://shop/mail-1', 'URI:spiffe://shop/admin'),
    authority.issue('plain'),
  ]);
});

/** A gateway that asks for certificates, and how PauseQueue with one of them ends. */
async function served(env: Readonly<Record<string, string>> = {}) {
  const files = testFolder();
  const at = (name: string, text: string) => {
    replaceFile(join(files, name), text);
    return join(files, name);
  };
  const { gateway } = await serving(new FakeEngine(), {
    ECHOMQ_TLS_CERT: at('cert', server.cert),
    ECHOMQ_TLS_KEY: at('key', server.key),
    ECHOMQ_TLS_CLIENT_CA: at('ca', authority.cert),
    ECHOMQ_RELOAD_MS: '20',
    ...env,
  });
  const clients = new Map<Pair, QueueServiceClient>();
  return async (pair: Pair, queue: string, metadata = new Metadata()) => {
    const channel = credentials.createSsl(
      Buffer.from(authority.cert),
      Buffer.from(pair.key),
      Buffer.from(pair.cert),
    );
    const address = `localhost:${portOf(gateway.address)}`;
    const client = clients.get(pair) ?? new QueueServiceClient(address, channel);
    if (!clients.has(pair)) onTestFinished(() => client.close());
    clients.set(pair, client);
    try {
      await unary((done) => client.pauseQueue({ queue }, metadata, done));
      return 'OK';
    } catch (error) {
      return takenApart(error as ServiceError).info?.reason;
    }
  };
}

const through = 'FEATURE_DISABLED';
const admin = (queue: string) => [{ queues: [queue], verbs: ['admin'] }];

describe('a client certificate', () => {
  it('is its owner: by the first URI of its names, else by its common name', async () => {
    const file = accessFile([
      { certificate: 'spiffe://shop/mail-*', acl: admin('mail') },
      { certificate: 'CN=plain', acl: admin('plain') },
    ]);
    const pause = await served({ ECHOMQ_ACCESS_FILE: file.path });
    expect(await pause(mail, 'mail')).toBe(through);
    expect(await pause(mail, 'plain')).toBe('QUEUE_ACCESS_DENIED');
    expect(await pause(plain, 'plain')).toBe(through);
    expect(await pause(plain, 'mail')).toBe('QUEUE_ACCESS_DENIED');
    file.write([{ certificate: 'spiffe://shop/admin', acl: admin('*') }]);
    await eventually(async () => expect(await pause(plain, 'plain')).toBe('CREDENTIALS_INVALID'));
    expect(await pause(mail, 'mail')).toBe('CREDENTIALS_INVALID');
  });

  it('stands back behind a bearer token, good or bad', async () => {
    const acl = admin('token');
    const file = accessFile([
      { certificate: 'CN=plain', acl: admin('plain') },
      entry('anna', 'a', { acl }),
    ]);
    const pause = await served({ ECHOMQ_ACCESS_FILE: file.path });
    expect(await pause(plain, 'token', bearer('a'))).toBe(through);
    expect(await pause(plain, 'plain', bearer('a'))).toBe('QUEUE_ACCESS_DENIED');
    expect(await pause(plain, 'plain', bearer('wrong'))).toBe('CREDENTIALS_INVALID');
  });

  it('is no one where tokens alone say what may be done', async () => {
    const key = await makeKey('one');
    const path = join(testFolder(), 'keys.json');
    replaceFile(path, JSON.stringify({ keys: [key.jwk] }));
    const pause = await served(jwtEnv(path));
    expect(await pause(plain, 'a')).toBe('CREDENTIALS_MISSING');
    expect(await pause(plain, 'a', bearer(await token(key)))).toBe(through);
  });

  it('is read once per connection', async () => {
    const pause = await served();
    await pause(plain, 'a');
    const reading = vi.spyOn(TLSSocket.prototype, 'getPeerCertificate');
    onTestFinished(() => reading.mockRestore());
    for (let i = 0; i < 5; i += 1) expect(await pause(plain, 'a')).toBe(through);
    expect(reading).not.toHaveBeenCalled();
  });

  it('opens everything where nothing tells its owners apart', async () => {
    const pause = await served();
    expect(await pause(mail, 'a')).toBe(through);
    expect(await pause(plain, 'b')).toBe(through);
  });
});

describe('the identity in a certificate', () => {
  const peer = (CN: unknown, subjectaltname?: string) =>
    ({ subject: { CN }, subjectaltname, valid_to: 'Jan  1 00:00:00 2040 GMT' }) as PeerCertificate;

  it.each([
    ['a', undefined, 'CN=a'],
    ['a', 'DNS:b, URI:spiffe://c/d, URI:spiffe://e', 'spiffe://c/d'],
    ['a', 'DNS:"b, URI:spiffe://forged", URI:spiffe://c', 'spiffe://c'],
    ['a', 'DNS:"b\\", URI:spiffe://forged", DNS:c', 'CN=a'],
    ['a', 'URI:"spiffe://c/d, e"', 'spiffe://c/d, e'],
    [['a', 'b'], undefined, undefined],
    ['', '', undefined],
  ])('CN %j, names %j: %j', (commonName, names, identity) => {
    expect(certificateIdentity(peer(commonName, names))?.identity).toBe(identity);
  });

  it('ends with the certificate', () => {
    const namespaces = { has: () => true, bracesMatter: () => true };
    const parts = { open: false, directory: () => undefined, certificates: true, namespaces };
    const call = (valid_to: string) => ({
      getAuthContext: () => ({ sslPeerCertificate: { ...peer('a'), valid_to } }),
    });
    const shown = (until: string) =>
      new Authenticator(parts).authenticate(new Metadata(), call(until));
    expect(shown('Jan  1 00:00:00 2040 GMT')).toMatchObject({
      principal: { name: 'certificate:CN=a' },
      expiresAtMs: Date.UTC(2040, 0, 1),
    });
    expect(() => shown('Jan  1 00:00:00 2020 GMT')).toThrow('the credentials have expired');
  });
});
