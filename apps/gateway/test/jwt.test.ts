import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { GatewayServiceClient, QueueServiceClient } from '@echomq/proto/services';
import { eventually } from '@echomq/testkit';
import type { ServiceError } from '@grpc/grpc-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { RemoteKeys } from '../src/access/remote-keys.js';
import { accessFile, bearer, replaceFile, testFolder } from './access-files.js';
import { takenApart, unary } from './call.js';
import { FakeEngine } from './fake-engine.js';
import { ALL, type IssuerKey, inSeconds, jwtEnv, keyServer, makeKey, token } from './issuer.js';
import { serving } from './serving.js';

let key: IssuerKey;
let stranger: IssuerKey;
let rsa: IssuerKey;
beforeAll(async () => {
  key = await makeKey('one');
  stranger = await makeKey('one');
  rsa = await makeKey('rsa', 'RS256');
});

const INVALID = 'UNAUTHENTICATED CREDENTIALS_INVALID';
const EXPIRED = 'UNAUTHENTICATED CREDENTIALS_EXPIRED';
const NEVER = 'UNIMPLEMENTED FEATURE_DISABLED';

/** A gateway that takes tokens signed with some keys, and how calls with a token end. */
async function withKeys(keys: readonly IssuerKey[], env: Readonly<Record<string, string>> = {}) {
  const path = join(testFolder(), 'keys.json');
  const write = (now: readonly IssuerKey[]) =>
    replaceFile(path, JSON.stringify({ keys: now.map(({ jwk }) => jwk) }));
  write(keys);
  return { write, ...(await withIssuer(path, env)) };
}

async function withIssuer(place: string, env: Readonly<Record<string, string>> = {}) {
  const engine = new FakeEngine({ gateway: { getServerInfo: async () => ({}) as never } });
  const served = await serving(engine, { ...jwtEnv(place), ECHOMQ_RELOAD_MS: '20', ...env });
  const info = served.client(GatewayServiceClient);
  const queues = served.client(QueueServiceClient);
  const ended = async (call: Promise<unknown>) => {
    try {
      await call;
      return 'OK';
    } catch (error) {
      const { status, info: reason } = takenApart(error as ServiceError);
      return `${status} ${reason?.reason}`;
    }
  };
  return {
    ...served,
    engine,
    outcome: (jwt: string) => ended(unary((done) => info.getServerInfo({}, bearer(jwt), done))),
    /** Of a call that needs a right; the engine of this test refuses it when it comes through. */
    pause: (jwt: string, queue: string) =>
      ended(unary((done) => queues.pauseQueue({ queue }, bearer(jwt), done))),
  };
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a JSON Web Token', () => {
  it('opens the gateway when everything is right', async () => {
    const { outcome } = await withKeys([key, rsa]);
    expect(await outcome(await token(key))).toBe('OK');
    expect(await outcome(await token(rsa))).toBe('OK');
    expect(await outcome(await token(key, { aud: ['x', 'someone'] }))).toBe('OK');
  });

  it('without a signature, or signed with the public key as a secret, is refused', async () => {
    const { outcome, engine } = await withKeys([key, rsa]);
    const claims = part({ iss: 'https://issuer.test', aud: 'echomq', sub: 'a', exp: inSeconds(9) });
    const none = `${part({ alg: 'none', typ: 'JWT' })}.${claims}.`;
    expect(await outcome(none)).toBe(INVALID);
    expect(await outcome(`${part({ alg: 'None' })}.${claims}.AAAA`)).toBe(INVALID);
    const signed = `${part({ alg: 'HS256', kid: 'rsa' })}.${claims}`;
    const mac = createHmac('sha256', rsa.pem).update(signed).digest('base64url');
    expect(await outcome(`${signed}.${mac}`)).toBe(INVALID);
    expect(engine.reached).toEqual([]);
  });

  it('of another key, altered, or of an algorithm that is not listed is refused', async () => {
    const { outcome } = await withKeys([key, rsa], { ECHOMQ_JWT_ALGORITHMS: 'ES256' });
    expect(await outcome(await token(stranger))).toBe(INVALID);
    expect(await outcome(await token(rsa))).toBe(INVALID);
    const [head = '', , mac = ''] = (await token(key)).split('.');
    const claims = part({ iss: 'https://issuer.test', aud: 'echomq', sub: 'a', exp: inSeconds(9) });
    expect(await outcome(`${head}.${claims}.${mac}`)).toBe(INVALID);
    expect(await outcome('a.b.c')).toBe(INVALID);
  });

  it('without a `kid` counts where one key alone can be meant, and is refused where two could', async () => {
    const nameless = { ...key, kid: '' };
    const one = await withKeys([key, rsa]);
    expect(await one.outcome(await token(nameless))).toBe('OK');
    expect(await one.outcome(await token({ ...stranger, kid: '' }))).toBe(INVALID);
    const two = await withKeys([key, { ...stranger, jwk: { ...stranger.jwk, kid: 'two' } }]);
    expect(await two.outcome(await token(nameless))).toBe(INVALID);
    expect(await two.outcome(await token({ ...key, kid: 'unheard-of' }))).toBe(INVALID);
  });

  it('of another issuer, for somebody else, too early, or without its claims is refused', async () => {
    const { outcome } = await withKeys([key]);
    for (const claims of [
      { iss: 'https://other.test' },
      { iss: undefined },
      { aud: 'somebody-else' },
      { aud: undefined },
      { nbf: inSeconds(60) },
      { exp: undefined },
      { sub: undefined },
      { sub: '' },
    ]) {
      expect([claims, await outcome(await token(key, claims))]).toEqual([claims, INVALID]);
    }
  });

  it('that has ended is told so, also one that was known; slack for clocks is as configured', async () => {
    const strict = await withKeys([key]);
    expect(await strict.outcome(await token(key, { exp: inSeconds(-3) }))).toBe(EXPIRED);
    const short = await token(key, { exp: inSeconds(2) });
    expect(await strict.outcome(short)).toBe('OK');
    await eventually(async () => expect(await strict.outcome(short)).toBe(EXPIRED));
    const lenient = await withKeys([key], { ECHOMQ_JWT_TOLERANCE_MS: '60000' });
    expect(await lenient.outcome(await token(key, { exp: inSeconds(-3) }))).toBe('OK');
    expect(await lenient.outcome(await token(key, { exp: inSeconds(-90) }))).toBe(EXPIRED);
  });

  it('has the rights of its claim, none without one, and is refused with one that makes no sense', async () => {
    const { pause, outcome } = await withKeys([key]);
    const acl = [{ queues: ['mail-*'], verbs: ['admin'] }];
    const mail = await token(key, { echomq: { acl } });
    expect(await pause(mail, 'mail-1')).toBe(NEVER);
    expect(await pause(mail, 'orders')).toBe('PERMISSION_DENIED QUEUE_ACCESS_DENIED');
    const bare = await token(key, { echomq: undefined });
    expect(await outcome(bare)).toBe('OK');
    expect(await pause(bare, 'mail-1')).toBe('PERMISSION_DENIED QUEUE_ACCESS_DENIED');
    for (const echomq of [{ acl: 'all' }, { acl: [{ queues: ['*'], verbs: ['fly'] }] }]) {
      expect(await outcome(await token(key, { echomq }))).toBe(INVALID);
    }
    expect(await outcome(await token(key, { echomq: { ...ALL, namespace: 'nowhere' } }))).toBe(
      INVALID,
    );
  });

  it('has the rights of the first entry for its subject, whatever it says itself', async () => {
    const acl = [{ queues: ['mail-*'], verbs: ['admin'] }];
    const file = accessFile([
      { subject: 'anna', acl },
      { subject: 'team-*', acl: [] },
    ]);
    const { pause } = await withKeys([key], { ECHOMQ_ACCESS_FILE: file.path });
    expect(await pause(await token(key), 'mail-1')).toBe(NEVER);
    expect(await pause(await token(key), 'orders')).toMatch(/^PERMISSION_DENIED/);
    expect(await pause(await token(key, { sub: 'team-1' }), 'mail-1')).toMatch(
      /^PERMISSION_DENIED/,
    );
    expect(await pause(await token(key, { sub: 'ben' }), 'orders')).toBe(NEVER);
    file.write([{ subject: 'anna', acl: [{ queues: ['orders'], verbs: ['admin'] }] }]);
    await eventually(async () => expect(await pause(await token(key), 'orders')).toBe(NEVER));
  });
});

describe('the keys', () => {
  it('in a file are read anew when a token names one that is not known', async () => {
    const next = await makeKey('two');
    const { outcome, write } = await withKeys([key], { ECHOMQ_RELOAD_MS: '60000' });
    expect(await outcome(await token(next))).toBe(INVALID);
    write([next]);
    expect(await outcome(await token(next))).toBe('OK');
    expect(await outcome(await token(key))).toBe(INVALID);
  });

  it('in a file that goes bad stay as they were', async () => {
    const path = join(testFolder(), 'keys.json');
    replaceFile(path, JSON.stringify({ keys: [key.jwk] }));
    const { outcome, log } = await withIssuer(path);
    replaceFile(path, '{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"one"}]}');
    await eventually(() =>
      expect(log.lines).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          facts: { path, problem: 'is no JSON Web Key Set with a public key' },
        }),
      ),
    );
    expect(await outcome(await token(key))).toBe('OK');
  });

  it('behind a URL are asked for once, and again for an unknown key, but not at will', async () => {
    const next = await makeKey('two');
    const issuer = await keyServer([key]);
    const { outcome } = await withIssuer(issuer.url);
    await eventually(async () => expect(await outcome(await token(key))).toBe('OK'));
    issuer.serve([key, next]);
    // The issuer was asked just now, at the start.
    expect(await outcome(await token(next))).toBe(INVALID);
    for (let i = 0; i < 5; i += 1) await outcome(await token(next));
    expect(issuer.asked).toEqual(['/keys']);
  });

  it('that cannot be had make the gateway unavailable for tokens, not unwilling', async () => {
    const issuer = await keyServer([key]);
    issuer.answer(503);
    const { outcome, log } = await withIssuer(issuer.url);
    expect(await outcome(await token(key))).toBe('UNAVAILABLE BACKEND_UNAVAILABLE');
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        event: 'keys.unavailable',
        facts: { jwks: issuer.url, problem: 'status 503' },
      }),
    );
  });

  it('outlive an issuer that is away, until they are too old', async () => {
    const next = await makeKey('two');
    const issuer = await keyServer([key]);
    const problems: string[] = [];
    const spans = { refreshMs: 30, staleMs: 3_000, pauseMs: 10, timeoutMs: 1_000, maxBytes: 1_000 };
    const keys = new RemoteKeys(issuer.url, (problem) => problems.push(problem), spans);
    const has = async (kid: string) =>
      await (await keys.current())?.({ alg: 'ES256', kid }).then(
        () => true,
        () => false,
      );
    expect(await has('one')).toBe(true);
    issuer.serve([next]);
    await eventually(async () =>
      expect([await has('one'), await has('two')]).toEqual([false, true]),
    );
    issuer.answer(500);
    await eventually(async () => {
      await keys.current();
      expect(problems).toContain('status 500');
    });
    expect(await has('two')).toBe(true);
    await eventually(async () => expect(await keys.current()).toBeUndefined(), 10_000);
    issuer.answer(200);
    await eventually(async () => expect(await has('two')).toBe(true));
    issuer.serve([key, next, key, next, key, next, key, next]);
    await eventually(async () => {
      await keys.current();
      expect(problems).toContain('the answer has more than 1000 bytes');
    });
  });
});
