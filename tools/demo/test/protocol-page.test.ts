import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { gatewayProgram } from '../src/programs.js';
import { ROOT } from '../src/root.js';

const redis = useRedis();
const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, 'docs/protocol.md'), 'utf8');

/** The code blocks of a language below a heading of the page, in order. */
function blocks(heading: string, language: string): string[] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const found = section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...found].flatMap(([, of, text = '']) => (of === language ? [text] : []));
}

describe('docs/protocol.md', () => {
  it('links to what exists', () => {
    const links = [...PAGE.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    expect(links).toContain('errors.md');
    expect(links.filter((link) => !existsSync(join(ROOT, 'docs', link)))).toEqual([]);
    const anchors = [...PAGE.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    const headings = [...PAGE.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(anchors.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });

  it('has calls by hand that do what it shows', { timeout: 60_000 }, async () => {
    const program = gatewayProgram({ redisUrl: redis.url, prefix: 'protocol' }, process.env);
    const { script, args, env, ready } = program;
    const gateway = await spawnNode(script, { args, env, ready, readyLimitMs: 30_000 });
    const address = ready.exec(gateway.readyLine)?.[1] ?? '';

    const [define = '', finish = '', again = '', stream = ''] = blocks('By hand', 'sh');
    const refused = again.replace(/^(call .*?)( *#.*)?$/m, '$1 && exit 9');
    const text = [define, finish, refused, stream].join('\necho ==\n');
    const { stdout, stderr } = await run(
      'bash',
      ['-c', text.replaceAll('127.0.0.1:50051', address)],
      {
        cwd: ROOT,
      },
    );
    const [added = '', finished = '', nothing, opened] = stdout.split('==\n');
    const [showsAdded = '', showsFinished = ''] = blocks('By hand', 'json');
    expect(JSON.parse(added)).toEqual(JSON.parse(showsAdded));
    expect(JSON.parse(finished)).toEqual(JSON.parse(showsFinished));
    expect(nothing).toBe('');
    expect(stderr).toContain('failed_precondition');
    expect(Buffer.from(/"value": "(\S+)"/.exec(stderr)?.[1] ?? '', 'base64').toString()).toContain(
      'LOCK_LOST',
    );
    expect(JSON.parse(opened ?? '')).toMatchObject({ opened: { heartbeatInterval: '10s' } });
    expect(await redis.client.hget('protocol:tries:1', 'returnvalue')).toBe('5');
  });
});
