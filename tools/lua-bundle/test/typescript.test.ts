import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { generate } from '../src/generate.js';
import { writeOutput } from '../src/output.js';
import { GOOD, makeRoot } from './fixture.js';

const REPOSITORY = new URL('../../../', import.meta.url);

/** How core binds scripts, with each fault that must not compile. */
const CALLER = `
import {
  dropJob, getLock, REJECTIONS, type Rejection, type Script, type ScriptArgs, type ScriptKeys,
  type ScriptName, type ScriptRejection, SCRIPTS, takeJob,
} from './lua/gen/scripts.js';

declare function run<S extends Script>(script: S, keys: ScriptKeys<S>, args: ScriptArgs<S>): void;
const keys = { wait: 'w', active: 'a', job: 'j' };
const args = { jobId: '1', now: '', options: { token: 't' }, ids: ['2'] } as const;

run(takeJob, keys, args);
run(takeJob, keys, { jobId: '1', now: 5, options: { token: 't', limiter: { max: 1 } }, ids: [] });
run(dropJob, { job: 'j' }, { token: 't', force: true });
run(getLock, { job: 'j' }, {});
const all: readonly Script[] = Object.values(SCRIPTS);
const name: ScriptName = 'takeJob';
const code: -2 = REJECTIONS.LOCK_LOST;
const reason: Rejection = 'JOB_NOT_FOUND';
const takes: ScriptRejection<typeof takeJob> = 'LOCK_LOST';

// @ts-expect-error a key is missing
run(takeJob, { wait: 'w', active: 'a' }, args);
// @ts-expect-error a key is misspelt
run(takeJob, { wait: 'w', activ: 'a', job: 'j' }, args);
// @ts-expect-error a key too many
run(takeJob, { wait: 'w', active: 'a', job: 'j', more: 'm' }, args);
// @ts-expect-error an argument is missing
run(dropJob, { job: 'j' }, { token: 't' });
// @ts-expect-error an argument is misspelt
run(dropJob, { job: 'j' }, { token: 't', forced: true });
// @ts-expect-error an argument too many
run(dropJob, { job: 'j' }, { token: 't', force: true, more: 1 });
// @ts-expect-error an argument of another type
run(dropJob, { job: 'j' }, { token: 't', force: '1' });
// @ts-expect-error an unknown field inside a pack
run(takeJob, keys, { ...args, options: { token: 't', limit: 1 } });
// @ts-expect-error the keys of another script
run(takeJob, { job: 'j' }, args);
// @ts-expect-error no such script
const noName: ScriptName = 'takeJobs';
// @ts-expect-error no such rejection
const noReason: Rejection = 'LOCK_LOSTT';
// @ts-expect-error a rejection that takeJob does not declare
const notHers: ScriptRejection<typeof takeJob> = 'JOB_NOT_FOUND';
// @ts-expect-error getLock rejects nothing
const none: ScriptRejection<typeof getLock> = 'LOCK_LOST';
export { all, code, name, noName, none, noReason, notHers, reason, takes };
`;

test('generated declarations compile; a missing, misspelt or extra key or argument does not', () => {
  const root = makeRoot({
    ...GOOD,
    'package.json': '{ "type": "module" }',
    'caller.ts': CALLER,
    'tsconfig.json': JSON.stringify({
      extends: fileURLToPath(new URL('tsconfig.base.json', REPOSITORY)),
      compilerOptions: { noEmit: true, types: [] },
      include: ['caller.ts', 'lua/gen'],
    }),
  });
  const { files, problems } = generate(root);
  expect(problems).toEqual([]);
  writeOutput(root, files);
  const tsc = fileURLToPath(new URL('node_modules/.bin/tsc', REPOSITORY));
  const { stdout, status } = spawnSync(tsc, ['-p', root], { encoding: 'utf8' });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});
