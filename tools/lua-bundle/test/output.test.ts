import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generate } from '../src/generate.js';
import { run } from '../src/main.js';
import { edited, GOOD, makeRoot } from './fixture.js';

const DROP = 'lua/dist/dropJob-1.lua';
const SCRIPT = 'lua/transitions/dropJob-1.lua';
const KEYS = 'lua/lib/keys.lua';

/** The good sources with a key that is no mere join of texts, and so stays a function. */
const FORMATTED = edited(KEYS, "job .. ':lock'", "string.format('%s:lock', job)");

/** The script itself, with the codes of its rejections. */
const BODY = (GOOD[SCRIPT] ?? '')
  .split('\n')
  .slice(4)
  .join('\n')
  .replace('return REJECT.JOB_NOT_FOUND', 'return -1')
  .replace('rejection == REJECT.LOCK_LOST', 'rejection == -2');

/** Runs the tool and returns the exit code with what it printed. */
function tool(root: string, ...args: string[]): { code: number; printed: string[] } {
  const printed: string[] = [];
  return { code: run(root, args, (line) => printed.push(line)), printed };
}

test('a bundle holds its name, each lib once behind what it needs, and the script', () => {
  expect(generate(makeRoot(FORMATTED)).files.get(DROP)).toBe(`-- dropJob-1
local function lockKey(job)
  return string.format('%s:lock', job)
end
local function lockRejection(job, token)
  local owner = redis.call('GET', lockKey(job))
  if owner ~= token then
    return -2
  end
  return nil
end

${BODY}`);
});

test('what a constant or a key stands for is in its place', () => {
  expect(generate(makeRoot(GOOD)).files.get(DROP)).toBe(`-- dropJob-1
local function lockRejection(job, token)
  local owner = redis.call('GET', job .. ':lock')
  if owner ~= token then
    return -2
  end
  return nil
end

${BODY}`);
});

test('a query gets only the libs that it reaches', () => {
  const source = generate(makeRoot(FORMATTED)).files.get('lua/dist/getLock-1.lua');
  expect(source).toContain('local function lockKey');
  expect(source).not.toContain('lockRejection');
});

test('the same sources give the same files, wherever they lie', () => {
  expect([...generate(makeRoot(GOOD)).files]).toEqual([...generate(makeRoot(GOOD)).files]);
});

test('words about a lib or a script change no bundle', () => {
  const reworded = {
    ...GOOD,
    ...edited('lua/lib/keys.lua', '--- The lock of a job.', '--- Its lock.\n\n-- Said otherwise.'),
    'lua/transitions/dropJob-1.lua': (GOOD['lua/transitions/dropJob-1.lua'] ?? '').replace(
      '--- Drops a job.',
      '--- Drops one job. And says so.',
    ),
  };
  expect(generate(makeRoot(reworded)).files.get(DROP)).toBe(
    generate(makeRoot(GOOD)).files.get(DROP),
  );
});

test('blank lines inside a long string stay', () => {
  const files = edited('lua/lib/keys.lua', "':lock'", '[[a\n\nb]]');
  expect(generate(makeRoot(files)).files.get(DROP)).toContain('return job .. [[a\n\nb]]');
});

test('writes once, then has nothing to write, and --check agrees', () => {
  const root = makeRoot({ ...GOOD, 'lua/dist/old-1.lua': '-- old-1\n' });
  const written = [
    'docs/transitions.md',
    DROP,
    'lua/dist/getLock-1.lua',
    'lua/dist/old-1.lua',
    'lua/dist/takeJob-3.lua',
    'lua/gen/rejections.ts',
    'lua/gen/script.ts',
    'lua/gen/scripts.ts',
  ];
  expect(tool(root)).toEqual({ code: 0, printed: written.map((path) => `wrote ${path}`) });
  expect(existsSync(join(root, 'lua/dist/old-1.lua'))).toBe(false);
  expect(tool(root)).toEqual({ code: 0, printed: [] });
  expect(tool(root, '--check')).toEqual({ code: 0, printed: [] });
});

test('--check names what differs, what is stale and what is missing, and writes nothing', () => {
  const root = makeRoot(GOOD);
  tool(root);
  writeFileSync(join(root, DROP), '-- dropJob-1\n');
  writeFileSync(join(root, 'lua/gen/old.ts'), '');
  expect(tool(root, '--check')).toEqual({
    code: 1,
    printed: [
      `${DROP} is not what lua/ generates: run pnpm generate`,
      'lua/gen/old.ts is not what lua/ generates: run pnpm generate',
    ],
  });
  expect(readFileSync(join(root, DROP), 'utf8')).toBe('-- dropJob-1\n');
});

test('a problem is printed with file and line, and nothing is written', () => {
  const root = makeRoot(edited('lua/transitions/dropJob-1.lua', 'not force', 'not os'));
  expect(tool(root)).toEqual({
    code: 1,
    printed: [
      'lua/transitions/dropJob-1.lua:13: unknown global os',
      '1 problem in lua/: nothing written',
    ],
  });
  expect(existsSync(join(root, 'lua/gen'))).toBe(false);
});

test('an unknown flag is refused', () => {
  expect(tool(makeRoot(GOOD), '--chekc').code).toBe(2);
});

test('the docs have a row per script with its SHA, and the rejections', () => {
  const { files } = generate(makeRoot(GOOD));
  const docs = files.get('docs/transitions.md') ?? '';
  const sha = createHash('sha1')
    .update(files.get('lua/dist/takeJob-3.lua') ?? '')
    .digest('hex');
  expect(docs).toContain(
    '| `takeJob-3` | Takes a job off the list. | 1 `wait`<br>2 `active`<br>3 `job` ' +
      '| 1 `jobId` string<br>2 `now` ms<br>3 `options` pack<br>4 `ids` strings... ' +
      `| \`LOCK_LOST\` (-2) | \`${sha}\` |\n`,
  );
  expect(docs).toContain('| `LOCK_LOST` | -2 | `dropJob`, `takeJob` |\n');
});
