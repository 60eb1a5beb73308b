import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliMain, runCli, useCli } from './use-cli.js';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'echomq-cli-'));
const SECRET = 'a-token-that-nobody-may-see';
const access = join(folder, 'access.yaml');
const tokenFile = join(folder, 'token');
writeFileSync(
  access,
  JSON.stringify({
    principals: [
      {
        principal: 'reader',
        sha256: [createHash('sha256').update(SECRET).digest('hex')],
        acl: [{ queues: ['*'], verbs: ['read'] }],
      },
    ],
  }),
);
writeFileSync(tokenFile, `${SECRET}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the program as it is installed', () => {
  const cli = useCli();
  beforeAll(async () => {
    await cli.queue().add('a', {});
  });

  it('answers where it is asked in a pipe, and says who is not there', async () => {
    const { stdout, stderr } = await run(process.execPath, [cliMain, 'status', '--json'], {
      env: { PATH: process.env.PATH, ECHOMQ_ADDRESS: cli.address },
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ counts: { waiting: 1 } });
    const nobody = ['status', '--address', '127.0.0.1:1', '--timeout', '8s'];
    const failed = run(process.execPath, [cliMain, ...nobody]);
    await expect(failed).rejects.toMatchObject({
      code: 4,
      stderr: expect.stringContaining('See --address and ECHOMQ_ADDRESS'),
    });
  });

  it('says in a line that its output cannot be written', async () => {
    const line = `"${process.execPath}" "${cliMain}" completion zsh > /dev/full`;
    await expect(run('/bin/sh', ['-c', line])).rejects.toMatchObject({
      code: 1,
      stderr: 'echomq: the output cannot be written (ENOSPC)\n',
    });
  });

  it('takes the flags of the gateway before the command too; the later of two counts', async () => {
    const before = await runCli(['--address', cli.address, '--json', 'list', 'cli-1']);
    expect(before).toMatchObject({ code: 0, values: [{ name: 'a' }] });
    const nested = await runCli([`--address=${cli.address}`, 'schedulers', 'list', 'cli-1']);
    expect(nested.code).toBe(0);
    const both = ['--address', '127.0.0.1:1', 'status', '--once', '--address', cli.address];
    expect((await runCli(both)).code).toBe(0);
    const alone = await runCli(['--json']);
    expect(alone.code).toBe((await runCli([])).code);
    expect((await runCli(['--colour', 'list', 'cli-1'])).code).toBe(2);
  });

  it('completes commands, flags, choices and names of queues', async () => {
    const complete = async (line: string) => {
      const env = {
        ...{ COMP_LINE: line, COMP_POINT: `${line.length}`, COMP_CWORD: '1', SHELL: '/bin/fish' },
      };
      const { out } = await cli.echomq(['completion-server', '--', ...line.split(' ')], { env });
      return out.split('\n').map((each) => each.split('\t')[0]);
    };
    expect(await complete('echomq re')).toEqual(['retry', 'remove', 'resume']);
    expect(await complete('echomq list --st')).toEqual(['--state']);
    expect(await complete('echomq retry q --state ')).toEqual(['failed', 'completed']);
    expect(await complete('echomq list cli-')).toEqual(['cli-1']);
    expect(await complete(`echomq --address ${cli.address} li`)).toEqual(['list']);
    expect(await complete(`echomq --address ${cli.address} list cli-`)).toEqual(['cli-1']);
    expect(await complete('echomq schedulers ')).toContain('preview');
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = await runCli(['completion', shell]);
      expect(out).toContain('echomq completion-server');
    }
    const script = (await runCli(['completion', 'bash'])).out;
    await run('bash', ['-n', '-c', script]);
  });
});

describe('a gateway that wants to know who calls', () => {
  const cli = useCli([`--access-file=${access}`]);

  it('takes a token from a file or a variable; nothing of it is ever printed', async () => {
    const none = await cli.echomq(['status']);
    expect(none).toMatchObject({ code: 5, err: expect.stringContaining('--token-file') });
    expect((await cli.echomq(['status', '--token-file', tokenFile])).code).toBe(0);
    expect((await cli.echomq(['status'], { env: { ECHOMQ_TOKEN: SECRET } })).code).toBe(0);
    expect((await cli.echomq(['status'], { env: { ECHOMQ_TOKEN_FILE: tokenFile } })).code).toBe(0);
    const denied = await cli.echomq(['pause', 'q', '--json'], { env: { ECHOMQ_TOKEN: SECRET } });
    expect(denied.code).toBe(5);
    expect(JSON.parse(denied.err).error).toMatchObject({ reason: 'QUEUE_ACCESS_DENIED' });
    expect(denied.err).not.toContain(SECRET);
    const away = await runCli(['status', '--address', 'example.test:1', '--timeout', '100ms'], {
      env: { ECHOMQ_TOKEN: SECRET },
    });
    expect(away).toMatchObject({ code: 2, err: expect.stringContaining('plain-text channel') });
    expect(away.err).not.toContain(SECRET);
    const missing = await cli.echomq(['status', '--token-file', join(folder, 'none')]);
    expect(missing).toMatchObject({ err: expect.stringContaining('none cannot be read (ENOENT)') });
  });

  it('refuses half of a certificate before anything is sent', async () => {
    const half = await cli.echomq(['status', '--tls-cert', tokenFile]);
    expect(half).toMatchObject({ code: 2, err: expect.stringContaining('come together') });
  });
});
