import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../src/gateway.js';
import { keptLog, testConfig } from './serving.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const redis = useRedis();

/** The commands that the section of docs/protocol.md shows, in its order. */
function commandsByHand(): string {
  const page = readFileSync(`${ROOT}docs/protocol.md`, 'utf8');
  const [, section = ''] = /\n## By hand\n([\s\S]*?)\n## /.exec(page) ?? [];
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
}

it('the calls by hand of docs/protocol.md do what the page says', async () => {
  const gateway = await startGateway(testConfig({ ECHOMQ_REDIS_URL: redis.url }), keptLog());
  onTestFinished(() => gateway.close());
  const script = commandsByHand().replaceAll('127.0.0.1:50051', gateway.address);
  expect(script).toContain(gateway.address);
  // buf reads no configuration and asks nobody but the gateway.
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { cwd: ROOT }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  expect(stdout).toContain('"jobId": "1"');
  expect(stdout).toContain('"outcome": "ADD_OUTCOME_CREATED"');
  expect(stdout).toContain('"disposition": "DISPOSITION_COMPLETED"');
  expect(stdout).toContain('"sessionId": "two"');
  expect(stderr).toContain('"code": "failed_precondition"');
  const [, info = ''] = /"value": "([^"]+)"/.exec(stderr) ?? [];
  expect(String(Buffer.from(info, 'base64'))).toContain('LOCK_LOST');
  expect(await redis.client.zcard('bull:tries:completed')).toBe(1);
}, 60_000);
