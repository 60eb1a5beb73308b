import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/migration.md', import.meta.url), 'utf8');
const resolve = createRequire(import.meta.url).resolve;

/** The classes whose users come to us, by the page's headings, with the files that declare what they have. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  Queue: ['queue', 'queue-getters', 'queue-base'],
  Job: ['job'],
  Worker: ['worker', 'queue-base'],
  QueueEvents: ['queue-events', 'queue-base'],
  FlowProducer: ['flow-producer'],
  JobScheduler: ['job-scheduler', 'queue-base'],
};

/** A member of a class in a declaration file: one level in, neither private nor protected. */
const MEMBER =
  /^ {4}(?!private\b|protected\b)(?:(?:static|readonly|abstract|get|set) )*(\w+)\??[(<:]/;

/** The public names that declaration files of a `bullmq` give to the classes in them. */
function publicNames(bullmq: string, files: readonly string[]): ReadonlySet<string> {
  const folder = join(dirname(resolve(`${bullmq}/package.json`)), 'dist/esm/classes');
  const names = new Set<string>();
  for (const file of files) {
    let inClass = false;
    for (const line of readFileSync(join(folder, `${file}.d.ts`), 'utf8').split('\n')) {
      if (/^export (declare )?(abstract )?class /.test(line)) inClass = true;
      else if (line.startsWith('}')) inClass = false;
      const name = inClass ? MEMBER.exec(line)?.[1] : undefined;
      if (name !== undefined && name !== 'constructor') names.add(name);
    }
  }
  return names;
}

/** The names in the first column of a section's tables, with the call or the reason beside them. */
function rowsOf(section: string): ReadonlyMap<string, string> {
  const from = page.indexOf(`\n## ${section}\n`);
  const rows = page
    .slice(from, page.indexOf('\n## ', from + 1))
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const found = new Map<string, string>();
  for (const row of rows) {
    const [, first = '', ours = '', differs = ''] = row
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    for (const [code] of first.matchAll(/`[^`]+`/g)) {
      for (const [name] of code.matchAll(/\b[A-Za-z_]\w*/g)) found.set(name, `${ours} ${differs}`);
    }
  }
  return found;
}

describe.each(Object.entries(CLASSES))('docs/migration.md, %s', (section, files) => {
  it.each(['bullmq', 'bullmq5'])('has every public name of %s', (bullmq) => {
    const names = publicNames(bullmq, files);
    expect(names.size).toBeGreaterThan(10);
    const rows = rowsOf(section);
    expect([...names].filter((name) => !rows.has(name)).sort()).toEqual([]);
  });

  it('says of what is not here why', () => {
    const silent = [...rowsOf(section)].filter(([, said]) => /^–?$/.test(said.trim()));
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});
