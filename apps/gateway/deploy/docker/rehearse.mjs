// Runs the steps of the Dockerfile without a container engine: each stage in a folder of its own, the last one as its
// user, with nothing that it could write to. What it cannot show is what the base images bring.
//   node apps/gateway/deploy/docker/rehearse.mjs
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';

const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, '../../../..');
const top = mkdtempSync(join(tmpdir(), 'echomq-image-'));
chmodSync(top, 0o755);
const stages = new Map();
let stage;

/** What git would give to a clone, changed files included. */
function copyContext(to) {
  const args = ['ls-files', '-co', '--exclude-standard', '-z'];
  const files = execFileSync('git', args, { cwd: repository, maxBuffer: 1e8 }).toString();
  for (const file of files.split('\0').filter((name) => name !== '')) {
    try {
      cpSync(join(repository, file), join(to, file));
    } catch {
      // Deleted and not yet committed.
    }
  }
}

const steps = {
  FROM: (step) => {
    const name = step.getBuildStage() ?? 'image';
    stage = { root: join(top, name), workdir: '/', env: {}, user: undefined };
    mkdirSync(stage.root);
    stages.set(name, stage);
  },
  WORKDIR: (step) => {
    stage.workdir = step.getPath();
    mkdirSync(join(stage.root, stage.workdir), { recursive: true });
  },
  ENV: (step) => {
    for (const property of step.getProperties())
      stage.env[property.getName()] = property.getValue();
  },
  COPY: (step) => {
    const [from, to] = step.getArguments().map((argument) => argument.getValue());
    const flag = step.getFlags().find((each) => each.getName() === 'from');
    const target = join(stage.root, to.startsWith('/') ? to : join(stage.workdir, to));
    if (flag)
      cpSync(join(stages.get(flag.getValue()).root, from), target, {
        recursive: true,
        verbatimSymlinks: true,
      });
    else copyContext(target);
  },
  RUN: (step) => {
    // Paths from the root are those of the stage.
    const command = step.getRawArgumentsContent().replaceAll(/(^|\s)\/(?=\w)/g, `$1${stage.root}/`);
    const env = { ...process.env, ...stage.env };
    execFileSync('sh', ['-c', command], {
      cwd: join(stage.root, stage.workdir),
      env,
      stdio: 'inherit',
    });
  },
  USER: (step) => {
    [stage.user, stage.group] = step.getRawArgumentsContent().split(':').map(Number);
  },
  ENTRYPOINT: (step) => {
    stage.entry = JSON.parse(step.getRawArgumentsContent());
  },
};

/** Starts what the image starts and ends it as a container engine does. */
async function start({ root, entry, user, group, env }) {
  const [, ...args] = entry;
  execFileSync('chmod', ['-R', 'a-w', root]);
  const switched = process.getuid?.() === 0 ? { uid: user, gid: group } : {};
  const child = spawn(
    process.execPath,
    args.map((argument) => join(root, argument)),
    {
      ...switched,
      cwd: '/',
      env: { ...env, ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_METRICS_LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const limit = setTimeout(() => child.kill('SIGKILL'), 120_000);
  child.stdout.on('data', (text) => {
    process.stdout.write(text);
    if (String(text).includes('listening on')) child.kill('SIGTERM');
  });
  const code = await ended;
  clearTimeout(limit);
  return code;
}

try {
  const text = readFileSync(join(here, 'Dockerfile'), 'utf8');
  for (const step of DockerfileParser.parse(text).getInstructions()) {
    const keyword = step.getKeyword();
    console.log(`== ${keyword} ${step.getRawArgumentsContent() ?? ''}`);
    steps[keyword]?.(step);
  }
  const size = execFileSync('du', ['-sm', stage.root]).toString().split('\t')[0];
  console.log(`== the gateway and its packages: ${size} MB; starting it as ${stage.user}`);
  const code = await start(stage);
  console.log(`== it ended with ${code}`);
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  execFileSync('chmod', ['-R', 'u+w', top]);
  rmSync(top, { recursive: true, force: true });
}
