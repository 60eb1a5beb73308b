import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../src/root.js';
import { README } from './readme.js';

describe('the README', () => {
  it('begins with the two commands', () => {
    const block = /^# EchoMQ\n\n```sh\n([\s\S]*?)```/.exec(README)?.[1] ?? '';
    expect(block.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
      'npx -y pnpm@12 demo',
      'npx -y pnpm@12 test',
      '',
    ]);
  });

  it('links to what exists', () => {
    const links = [...README.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(8);
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(ROOT, link)))).toEqual(
      [],
    );
  });
});
