import { readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '@echomq/engine';
import { describe, expect, it } from 'vitest';
import { TABLES, withTables } from '../src/operations/tables.js';
import { SETTING_KEYS } from '../src/settings/settings.js';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

describe('docs/operations.md', () => {
  it('has the tables as they follow from the code: run `pnpm --filter @echomq/gateway run docs`', () => {
    expect(withTables(page)).toBe(page);
  });

  it('has a row for each setting and each limit of the engine', () => {
    const table = TABLES.settings?.() ?? '';
    for (const key of [...SETTING_KEYS, ...Object.keys(DEFAULT_LIMITS)]) {
      expect(table).toContain(`| \`${key}\` |`);
    }
  });

  it('refuses a page without a place for a table', () => {
    expect(() => withTables('nothing')).toThrow('no place for the table settings');
  });
});
