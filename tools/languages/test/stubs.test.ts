import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inFull, javaWorker, ROOT, RUST_ENV, rust, skipNote, toolchain } from '../src/index.js';
import { codeBlocks } from './pages.js';

const run = promisify(execFile);
const PAGE = 'docs/protocol.md';
const go = inFull(toolchain('go'));
const java = inFull(toolchain('java'));
const cargo = inFull(toolchain('rust'));
const SLOW = { timeout: 400_000 };
const GO_PLUGINS = [
  'google.golang.org/protobuf/cmd/protoc-gen-go',
  'google.golang.org/grpc/cmd/protoc-gen-go-grpc',
];

// What they stand on is built before the time of a test begins.
if (!('missing' in inFull({}))) {
  javaWorker();
  rust('sample-worker');
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The block of a language that has certain words in it. */
function block(language: string, has: string): string {
  const found = codeBlocks(PAGE, language).find((text) => text.includes(has));
  if (found === undefined) throw new Error(`${PAGE} has no block of ${language} with ${has}`);
  return found;
}

/** An empty folder of a test. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-stubs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the stubs of docs/protocol.md, made as the page says', () => {
  it.skipIf('missing' in go)(`of Go: those of our helper${skipNote(go)}`, SLOW, async () => {
    if ('missing' in go) return;
    const folder = ownFolder();
    const helper = join(ROOT, 'packages/worker-go');
    // What `go install` would put on the PATH, in the helper's versions.
    for (const plugin of GO_PLUGINS) {
      await run(go.tool, ['build', '-o', `${folder}/bin/`, plugin], { cwd: helper });
    }
    const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}` };
    const text = block('sh', 'protoc-gen-go').replaceAll('"out": "gen"', `"out": "${folder}/gen"`);
    await run('bash', ['-euc', text], { cwd: ROOT, env });
    const file = 'gen/echomq/v1/worker_service_grpc.pb.go';
    expect(readFileSync(join(folder, file), 'utf8')).toBe(read(`packages/worker-go/${file}`));
  });

  it.skipIf('missing' in java)(`of Java${skipNote(java)}`, SLOW, async () => {
    if ('missing' in java) return;
    const folder = ownFolder();
    const plugin = block('xml', 'plugin').replace('>proto<', `>${ROOT}/proto<`);
    // The dependencies of our library, and the page's plugin alone.
    const pom = read('packages/worker-java/pom.xml').replace(
      /<plugins>[\s\S]*<\/plugins>/,
      () => `<plugins>${plugin}</plugins>`,
    );
    writeFileSync(join(folder, 'pom.xml'), pom);
    const args = ['-B', '-ntp', '-q', '-f', join(folder, 'pom.xml'), 'generate-sources'];
    const said = await run(java.tool, args).catch(({ stdout }: { stdout: string }) => ({ stdout }));
    const made = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of ['WorkerServiceGrpc', 'FetchJobsRequest', 'ErrorReason']) {
      const found = made.filter((path) => path.endsWith(`echomq/v1/${name}.java`));
      expect(found, said.stdout).toHaveLength(1);
    }
  });

  it.skipIf('missing' in cargo)(`of Rust${skipNote(cargo)}`, SLOW, async () => {
    if ('missing' in cargo) return;
    const folder = ownFolder();
    // The dependencies that the page names, in our library's versions.
    const [, dependencies = ''] = read('packages/worker-rust/Cargo.toml').split(
      /^(?=\[dependencies\])/m,
    );
    const head = '[package]\nname = "stubs"\nversion = "0.1.0"\nedition = "2024"\n\n';
    writeFileSync(join(folder, 'Cargo.toml'), head + dependencies);
    cpSync(join(ROOT, 'Cargo.lock'), join(folder, 'Cargo.lock'));
    symlinkSync(join(ROOT, 'proto'), join(folder, 'proto'));
    writeFileSync(join(folder, 'build.rs'), block('rust', 'protox'));
    mkdirSync(join(folder, 'src'));
    const request = 'echomq::v1::AddJobRequest { queue: "orders".into(), ..Default::default() }';
    const main = `fn main() { print!("{}", ${request}.queue); }\n`;
    writeFileSync(join(folder, 'src/main.rs'), block('rust', 'include_proto') + main);
    const env = { ...process.env, ...RUST_ENV };
    const ran = await run(cargo.tool, ['run', '--release', '--quiet'], { cwd: folder, env });
    expect(ran.stdout).toBe('orders');
  });
});
