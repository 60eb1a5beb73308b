import * as sdk from '@echomq/sdk';
import { describe, expect, it } from 'vitest';
import { readPage } from '../src/index.js';
import { sdkPage } from '../src/reference/sdk-page.js';

const page = readPage('docs/reference/sdk.md');

describe('docs/reference/sdk.md', () => {
  it('is what a fresh run makes (pnpm generate)', () => {
    expect(sdkPage()).toBe(page);
  });

  it('has everything that the SDK exports', () => {
    const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(Object.keys(sdk).filter((name) => !headings.includes(name))).toEqual([]);
  });

  it.each([
    ['Queue', sdk.Queue],
    ['Worker', sdk.Worker],
    ['QueueEvents', sdk.QueueEvents],
    ['FlowProducer', sdk.FlowProducer],
  ])('has the methods of %s, with words about each', (name, { prototype }) => {
    const section = page.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
    const methods = Object.getOwnPropertyNames(prototype).filter((each) => each !== 'constructor');
    for (const method of methods) {
      expect(section).toMatch(new RegExp(`^- \`(?:get |set |\\*)?${method}\\b.*\`: \\S.{5,}`, 'm'));
    }
  });
});
