import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

/** A key of the issuer. */
export type IssuerKey = Awaited<ReturnType<typeof makeKey>>;

/** Makes a key with its public half as it stands in a key set. */
export async function makeKey(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, jwk, pem: await exportSPKI(publicKey) };
}

/** What tokens say unless a test says otherwise. */
export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'echomq';

/** The settings that go with it. */
export const jwtEnv = (keys: string) => ({
  ECHOMQ_JWT_KEYS: keys,
  ECHOMQ_JWT_ISSUER: ISSUER,
  ECHOMQ_JWT_AUDIENCE: `someone,${AUDIENCE}`,
  ECHOMQ_JWT_TOLERANCE_MS: '0',
});

/** Seconds since the epoch, so many from now. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** The claim with all rights. */
export const ALL = { acl: [{ queues: ['*'], verbs: ['produce', 'work', 'read', 'admin'] }] };

/** A signed token; a claim of `undefined` is left out, and so is a `kid` of `""`. */
export async function token(
  key: IssuerKey,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: 'anna', exp: inSeconds(60), echomq: ALL };
  return await new SignJWT({ ...usual, ...claims } as JWTPayload)
    .setProtectedHeader(key.kid === '' ? { alg: key.alg } : { alg: key.alg, kid: key.kid })
    .sign(key.privateKey);
}

/** Serves key sets over HTTP for the length of the running test. */
export async function keyServer(first: readonly IssuerKey[]) {
  let keys = first;
  let status = 200;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    asked,
    serve: (now: readonly IssuerKey[]) => {
      keys = now;
    },
    answer: (code: number) => {
      status = code;
    },
  };
}
