import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as sdk from '@echomq/sdk';
import { describe, expect, it } from 'vitest';
import { ROOT, readPage } from '../src/index.js';

const page = readPage('docs/troubleshooting.md');
const proto = readFileSync(join(ROOT, 'proto/echomq/v1/errors.proto'), 'utf8');
const reasons = [...proto.matchAll(/^ {2}ERROR_REASON_(\w+) = \d+;/gm)]
  .map(([, reason = '']) => reason)
  .filter((reason) => reason !== 'UNSPECIFIED');

/** What the page says below the heading of a reason. */
const sectionOf = (reason: string) => page.split(`\n### ${reason}\n`)[1]?.split('\n##')[0] ?? '';

describe('docs/troubleshooting.md', () => {
  it('has the reasons of the contract, in its order', () => {
    const headings = [...page.matchAll(/^### ([A-Z_]+)$/gm)].map(([, reason]) => reason);
    expect(headings).toEqual(reasons);
  });

  it('has commands as one would type them: an escaped bar is for tables alone', () => {
    const escaped = page
      .split('\n')
      .filter((line) => line.includes('\\|') && !line.startsWith('|'));
    expect(escaped).toEqual([]);
  });

  it.each(reasons)('%s has a class, a cause and what to do', (reason) => {
    const section = sectionOf(reason);
    expect(section).toMatch(/\*\*Cause\.\*\* \S.{20,}/);
    expect(section).toMatch(/\*\*Do\.\*\* \S.{7,}/);
    const [, name = ''] = /^`(\w+)` in the SDK\.$/m.exec(section) ?? [];
    expect(Object.keys(sdk)).toContain(name);
  });
});
