import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type UsedRedis, useStarted } from '@echomq/testkit';
import { startGateway } from '../../src/gateway.js';
import { hashed } from '../access-files.js';
import { keptLog, testConfig } from '../serving.js';

const of = (principal: string, verbs: readonly string[], queues = ['*'], more: object = {}) => ({
  principal,
  sha256: hashed(`token-of-${principal}`),
  acl: [{ queues, verbs }],
  ...more,
});

const PRINCIPALS = [
  of('operator', ['read', 'admin']),
  of('reader', ['read'], ['mails*']),
  of('worker', ['work']),
  of('tenant', ['read', 'admin'], ['*'], { namespace: 'tenant' }),
];

/**
 * A gateway with a dashboard and four principals for the tests of a file: `operator` reads and changes all, `reader`
 * reads queues that begin with `mails`, `worker` may only work, `tenant` has a namespace of its own. The token of each is
 * `token-of-` and its name.
 */
export function useGuarded(redis: UsedRedis) {
  const started = useStarted(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-dashboard-'));
    const path = join(folder, 'access.yaml');
    writeFileSync(path, JSON.stringify({ principals: PRINCIPALS }));
    const log = keptLog();
    const config = testConfig({
      ECHOMQ_REDIS_URL: redis.url,
      ECHOMQ_DASHBOARD_LISTEN: '127.0.0.1:0',
      ECHOMQ_ACCESS_FILE: path,
      ECHOMQ_NAMESPACES: 'tenant=other',
      ECHOMQ_DRAIN_TIMEOUT_MS: '0',
    });
    const gateway = await startGateway(config, log);
    return {
      log,
      address: gateway.dashboardAddress ?? '',
      [Symbol.asyncDispose]: async () => {
        await gateway.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
  return {
    /** `host:port` of the dashboard. */
    get address() {
      return started.value.address;
    },
    get lines() {
      return started.value.log.lines;
    },
    /** Asks as the page does, with the token of a principal or with none. */
    async ask(principal: string | undefined, path: string, body: object) {
      const response = await fetch(`http://${started.value.address}/api/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-echomq-dashboard': '1',
          connection: 'close',
          ...(principal === undefined ? {} : { authorization: `Bearer token-of-${principal}` }),
        },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Readonly<Record<string, unknown>>;
      return { status: response.status, answer };
    },
  };
}
