import { get } from 'node:https';
import { makeTlsFiles } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type ConfigError, loadConfig } from '../../src/config.js';
import { FakeEngine } from '../fake-engine.js';
import { serving } from '../serving.js';

it('is served with the certificate of the gateway where there is one', async () => {
  const files = await makeTlsFiles();
  onTestFinished(() => files.remove());
  const { gateway } = await serving(new FakeEngine(), {
    ECHOMQ_DASHBOARD_LISTEN: '127.0.0.1:0',
    ECHOMQ_TLS_CERT: files.cert,
    ECHOMQ_TLS_KEY: files.key,
  });
  const text = await new Promise<string>((resolve, reject) => {
    const options = { ca: files.caText, agent: false };
    get(`https://${gateway.dashboardAddress}/`, options, (response) => {
      response.setEncoding('utf8');
      let all = '';
      response.on('data', (part: string) => {
        all += part;
      });
      response.on('end', () => resolve(all));
    }).on('error', reject);
  });
  expect(text).toContain('<div id="root">');
});

it('is served nowhere unless somebody says where', async () => {
  const { gateway } = await serving(new FakeEngine());
  expect(gateway.dashboardAddress).toBeUndefined();
});

it('names the setting of an address that is taken', async () => {
  const { gateway } = await serving(new FakeEngine(), { ECHOMQ_DASHBOARD_LISTEN: '127.0.0.1:0' });
  const taken = { ECHOMQ_DASHBOARD_LISTEN: gateway.dashboardAddress ?? '' };
  await expect(serving(new FakeEngine(), taken)).rejects.toThrow(/^dashboardListen: .*EADDRINUSE/);
});

/** What a configuration is refused for. */
function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    loadConfig({ env });
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

const tls = { ECHOMQ_TLS_CERT: 'c', ECHOMQ_TLS_KEY: 'k' };
const everywhere = { ECHOMQ_DASHBOARD_LISTEN: '0.0.0.0:8080' };
const local = { ECHOMQ_DASHBOARD_LISTEN: '127.0.0.1:8080' };

it.each([
  ['everybody and plain text beyond loopback', everywhere, [/everybody/, /plain text/]],
  ['everybody beyond loopback', { ...everywhere, ...tls }, [/everybody/]],
  ['plain text beyond loopback', { ...everywhere, ECHOMQ_ACCESS_FILE: 'a' }, [/plain text/]],
  ['certificates alone', { ...local, ...tls, ECHOMQ_TLS_CLIENT_CA: 'x' }, [/signs in .*token/]],
])('is refused for %s', (_, env, wanted) => {
  const problems = problemsOf(env);
  expect(problems).toEqual(wanted.map((one) => expect.stringMatching(one)));
  for (const problem of problems) expect(problem).toMatch(/^ECHOMQ_DASHBOARD_LISTEN: /);
});

it.each([
  local,
  { ...everywhere, ...tls, ECHOMQ_ACCESS_FILE: 'a' },
  { ...everywhere, ECHOMQ_INSECURE: 'true' },
  { ...everywhere, ...tls, ECHOMQ_AUTH: 'none' },
])('takes %j', (env) => {
  expect(problemsOf(env)).toEqual([]);
});
