import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { skipNote, toolchain } from '@echomq/languages';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blockIn, ROOT } from '../src/index.js';

const PAGE = 'docs/protocol.md';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const python = toolchain('python');

describe('the stubs of docs/protocol.md', () => {
  it.skipIf('missing' in python)(
    `of Python${skipNote(python)}`,
    async () => {
      if ('missing' in python) return;
      const { text } = blockIn(PAGE, { language: 'sh', has: 'pip install' });
      const [install = '', ...make] = text.split('\n');
      for (const name of install.split(' ').slice(2)) {
        expect(read('packages/worker-python/requirements.txt')).toContain(`${name}==`);
      }
      const folder = mkdtempSync(join(tmpdir(), 'echomq-stubs-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      mkdirSync(join(folder, 'gen'));
      const command = make.join('\n').replace(/^python/, `'${python.tool}'`);
      const moved = command.replaceAll('=gen', `=${folder}/gen`);
      await promisify(execFile)('bash', ['-euc', moved], { cwd: ROOT });
      expect(existsSync(join(folder, 'gen/echomq/v1/worker_service_pb2_grpc.py'))).toBe(true);
      expect(existsSync(join(folder, 'gen/google/rpc/status_pb2.pyi'))).toBe(true);
    },
    60_000,
  );

  it('of Go: a template that says what ours says', () => {
    const { text } = blockIn(PAGE, { language: 'sh', has: 'protoc-gen-go' });
    const template = JSON.parse(/--template '([\s\S]*)'/.exec(text)?.[1] ?? '');
    const ours = read('packages/worker-go/buf.gen.yaml');
    for (const { local, opt } of template.plugins) {
      expect(ours).toContain(`${local}]`);
      expect(ours).toContain(opt);
    }
    expect(template.managed.disable).toEqual([{ file_option: 'go_package', path: 'google' }]);
    expect(ours).toContain('path: google');
  });

  it('of Java: the plugin of our sample, in its version', () => {
    const { text } = blockIn(PAGE, { language: 'xml', has: 'plugin' });
    const ours = read('apps/sample-worker-java/pom.xml');
    const properties = [...ours.matchAll(/<([\w.]+\.version)>(.+?)</g)];
    const pom = properties.reduce(
      (all, [, name, value]) => all.replaceAll(`\${${name}}`, value ?? ''),
      ours,
    );
    const facts = [...text.matchAll(/<(groupId|artifactId|version|protocVersion|goal)>.+?</g)];
    expect(facts.length).toBeGreaterThan(6);
    for (const [fact] of facts) expect(pom).toContain(fact);
  });

  it('of Rust: the calls of our sample', () => {
    const calls = (text: string) => new Set(text.match(/\b\w+(?:::\w+)?!?(?=\()/g));
    const build = calls(read('apps/sample-worker-rust/build.rs'));
    const { text } = blockIn(PAGE, { language: 'rust', has: 'protox' });
    const [compiler = '', maker = ''] = ['protox::compile', 'tonic_prost_build::configure'];
    for (const each of [compiler, maker, 'build_server', 'compile_fds']) {
      expect(calls(text)).toContain(each);
      expect(build).toContain(each);
    }
    const modules = blockIn(PAGE, { language: 'rust', has: 'include_proto' }).text;
    const lib = read('apps/sample-worker-rust/src/lib.rs');
    for (const [each] of modules.matchAll(/tonic::include_proto!\(.+?\)/g)) {
      expect(lib).toContain(each);
    }
  });
});

it.each(['go', 'python'])('the script that packages/worker-%s/README.md names is there', (name) => {
  const page = `packages/worker-${name}/README.md`;
  const { text } = blockIn(page, { language: 'sh', has: 'generate.sh' });
  const [, script = ''] = /^sh (\S+)$/.exec(text.trim()) ?? [];
  expect(existsSync(join(ROOT, script))).toBe(true);
  // `pnpm generate` and `check:generated` run it.
  expect(read(`packages/worker-${name}/package.json`)).toMatch(/"generate": "sh .*generate\.sh"/);
});
