import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import { createServer as createTls } from 'node:tls';
import * as pb from '@echomq/proto/messages';
import { type GatewayServiceServer, GatewayServiceService } from '@echomq/proto/services';
import { makeTlsFiles, type TlsFiles } from '@echomq/testkit';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connect, InvalidRequest, Queue, Unavailable } from '../src/index.js';

let files: TlsFiles | undefined;
beforeAll(async () => {
  files = await makeTlsFiles();
});
afterAll(() => files?.remove());

function tlsFiles(): TlsFiles {
  if (files === undefined) throw new Error('no certificates');
  return files;
}

async function bind(server: Server, credentials: ServerCredentials): Promise<number> {
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

/** A gateway of which only GatewayService answers. */
async function serving(service: Partial<GatewayServiceServer>): Promise<string> {
  const server = new Server();
  server.addService(GatewayServiceService, {
    getServerInfo: (_call, answer) => answer(null, { serverInfo: pb.ServerInfo.create() }),
    ...service,
  } as GatewayServiceServer);
  return `127.0.0.1:${await bind(server, ServerCredentials.createInsecure())}`;
}

/** Listens on loopback for the running test. */
async function listening(server: Pick<NetServer, 'listen' | 'close' | 'address'>): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  onTestFinished(() => {
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a call there fails with. */
async function failureAt(address: string, tls?: boolean): Promise<Error> {
  const connection = connect({ address, timeoutMs: 3_000, ...(tls ? { tls } : {}) });
  onTestFinished(() => connection.close());
  const queue = new Queue('q', { connection });
  const failure = await queue.add('x', {}).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  return failure as Error;
}

describe('a wrong address', () => {
  it('where nobody listens', async () => {
    const server = createServer();
    const address = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const failure = await failureAt(address);
    expect(failure).toBeInstanceOf(Unavailable);
    const why = `connect ECONNREFUSED ${address}`;
    expect(failure.message).toBe(`nobody listens at ${address} (${why})`);
  });

  it('T098 misleading size error: where a web server answers', async () => {
    const address = await listening(createHttp((_request, response) => response.end('hello')));
    expect((await failureAt(address)).message).toContain(`${address} is not a gateway`);
  });

  it('where an HTTP/2 server answers', async () => {
    const server = createHttp2((_request, response) => response.end('hello'));
    const address = await listening(server as never);
    expect((await failureAt(address)).message).toContain(`${address} is not a gateway`);
  });

  it('T098 misleading size error: where TLS is spoken and was not asked for, and the other way round', async () => {
    const { cert, key } = tlsFiles();
    const secure = createTls({ cert: readFileSync(cert), key: readFileSync(key) });
    secure.on('tlsClientError', () => {});
    expect((await failureAt(await listening(secure))).message).toContain('TLS mismatch');
    const plain = createHttp();
    const address = await listening(plain);
    expect((await failureAt(address, true)).message).toContain(
      `TLS mismatch: ${address} speaks no TLS`,
    );
  });

  it('whose certificate nobody vouches for', async () => {
    const { cert, key } = tlsFiles();
    const server = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
    const failure = await failureAt(await listening(server as never), true);
    expect(failure.message).toContain('certificates');
  });

  it.each([
    ['', 'address'],
    ['localhost', 'address'],
    ['localhost:0', 'address'],
    ['localhost:70000', 'address'],
    ['http://localhost:5', 'address'],
    [undefined as never, 'address'],
  ])('%j is refused before anything is sent', (address, field) => {
    expect(() => connect({ address })).toThrow(InvalidRequest);
    expect(() => connect({ address })).toThrow(expect.objectContaining({ field }));
  });
});

describe('credentials', () => {
  it.each(['example.org:50051', '10.0.0.7:50051', '[2001:db8::1]:50051', 'dns:///gw:50051'])(
    'a token is refused on a plain channel to %s',
    (address) => {
      expect(() => connect({ address, token: 'secret' })).toThrow(
        expect.objectContaining({ field: 'token', message: expect.stringContaining('tls') }),
      );
    },
  );

  it.each(['localhost:5', '127.0.0.2:5', '[::1]:5', 'unix:/tmp/x.sock', 'dns:///localhost:5'])(
    'a token may go to %s',
    async (address) => {
      await connect({ address, token: 'secret' }).close();
    },
  );

  it('a token may go anywhere over TLS', async () => {
    await connect({ address: 'example.org:5', token: 'secret', tls: true }).close();
  });

  it.each([
    [{ cert: 'no PEM, no file', key: 'x' }, 'tls.key'],
    [{ ca: '/no/such/file' }, 'tls.ca'],
    [{ key: 'x' }, 'tls'],
  ])('%j cannot be used', (tls, field) => {
    expect(() => connect({ address: 'localhost:5', tls })).toThrow(
      expect.objectContaining({ field }),
    );
  });

  it.each([
    [{ token: 7 }, 'token'],
    [{ token: '' }, 'token'],
    [{ token: null }, 'token'],
    [{ token: { value: 'x' } }, 'token'],
    [{ tls: 'yes' }, 'tls'],
    [{ tls: null }, 'tls'],
    [{ tls: 1 }, 'tls'],
    [{ tls: ['x'] }, 'tls'],
    [{ tls: { ca: 7 } }, 'tls.ca'],
    [{ tls: { cert: {}, key: 'x' } }, 'tls.cert'],
    [{ tls: { serverName: 7 } }, 'tls.serverName'],
    [{ tls: { certificate: 7 } }, 'tls.certificate'],
    [{ tls: { cert: Buffer.from('no PEM'), key: Buffer.from('no PEM') } }, 'tls'],
    [{ maxMessageBytes: '4' }, 'maxMessageBytes'],
    [{ maxMessageBytes: 0 }, 'maxMessageBytes'],
  ])('%j is of the wrong kind', (options, field) => {
    const wrong = { address: 'localhost:5', ...options } as never;
    expect(() => connect(wrong)).toThrow(InvalidRequest);
    expect(() => connect(wrong)).toThrow(expect.objectContaining({ field }));
  });

  it.each([7, '', undefined])('a function that brings %j fails the call, typed', async (token) => {
    const connection = connect({ address: 'localhost:5', token: () => token as never });
    onTestFinished(() => connection.close());
    await expect(connection.serverInfo()).rejects.toMatchObject({
      name: 'AccessDenied',
      reason: 'TOKEN_UNAVAILABLE',
    });
  });

  it('are sent with each call, as they are then', async () => {
    const seen: unknown[] = [];
    const address = await serving({
      getServerInfo: (call, answer) => {
        seen.push(call.metadata.get('authorization')[0]);
        answer(null, { serverInfo: pb.ServerInfo.create() });
      },
    });
    let asked = 0;
    const connection = connect({ address, token: async () => `t${++asked}` });
    onTestFinished(() => connection.close());
    await connection.serverInfo();
    await connection.serverInfo();
    expect(seen).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('that cannot be had fail the call, typed', async () => {
    const address = await serving({});
    const connection = connect({
      address,
      timeoutMs: 500,
      token: () => Promise.reject(new Error('no identity provider')),
    });
    onTestFinished(() => connection.close());
    await expect(connection.serverInfo()).rejects.toMatchObject({
      name: 'AccessDenied',
      code: 'UNAUTHENTICATED',
      reason: 'TOKEN_UNAVAILABLE',
      cause: expect.objectContaining({ message: 'no identity provider' }),
    });
  });

  it('that a gateway checks by certificate', async () => {
    const files = tlsFiles();
    const server = new Server();
    server.addService(GatewayServiceService, {
      getServerInfo: (_call, answer) => answer(null, { serverInfo: pb.ServerInfo.create() }),
    } satisfies GatewayServiceServer);
    const { ca, cert, key, clientCert, clientKey } = files;
    const pair = { cert_chain: readFileSync(cert), private_key: readFileSync(key) };
    const credentials = ServerCredentials.createSsl(readFileSync(ca), [pair], true);
    const port = await bind(server, credentials);
    const tls = { ca, cert: clientCert, key: files.clientKeyText };
    const address = `localhost:${port}`;
    const connection = connect({ address, tls, token: 'over TLS' });
    onTestFinished(() => connection.close());
    await connection.serverInfo();
    const stranger = connect({ address, tls: { ca }, timeoutMs: 10_000 });
    onTestFinished(() => stranger.close());
    await expect(stranger.serverInfo()).rejects.toBeInstanceOf(Unavailable);
    expect(clientKey).not.toBe('');
  });
});

describe('a call', () => {
  it('ends with its time, also when nobody answers', async () => {
    const address = await serving({ getServerInfo: () => {} });
    const connection = connect({ address, timeoutMs: 200 });
    onTestFinished(() => connection.close());
    await expect(connection.serverInfo()).rejects.toMatchObject({
      name: 'DeadlineExceeded',
      code: 'DEADLINE_EXCEEDED',
    });
  });

  it('ends with its connection', async () => {
    const address = await serving({ getServerInfo: () => {} });
    const connection = connect({ address });
    const call = connection.serverInfo();
    call.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    await connection.close();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(connection.serverInfo()).rejects.toMatchObject({ reason: 'CONNECTION_CLOSED' });
    await connection.close();
  });
});
