import { ACCESS_RULES, type AccessRule } from '../access/queue-access.js';
import type { Setting } from '../settings/setting.js';
import { flagOf, SETTING_KEYS, SETTINGS, variableOf } from '../settings/settings.js';

import { cell, code, table } from './markdown.js';
import { eventsTable, metricsTable } from './observation-tables.js';

/** The tables of docs/operations.md by the names of their places. */
export const TABLES: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  rights: rightsTable,
  metrics: metricsTable,
  events: eventsTable,
};

/**
 * A text with each table where its place is: between `<!-- NAME: … -->` and `<!-- /NAME -->`.
 *
 * @throws Error for a table that has no place
 */
export function withTables(text: string): string {
  return Object.entries(TABLES).reduce((page, [name, table]) => {
    const place = new RegExp(`(<!-- ${name}:[^\\n]*-->\\n)[^]*?(<!-- /${name} -->)`);
    if (!place.test(page)) throw new Error(`there is no place for the table ${name}`);
    return page.replace(place, (_all, begin, end) => `${begin}\n${table()}\n${end}`);
  }, text);
}

/** Every setting with its names and its default. */
function settingsTable(): string {
  const rows = SETTING_KEYS.map((key) => {
    const { about, fallback = '', value }: Setting<unknown> = SETTINGS[key];
    const flag = value === undefined ? flagOf(key) : `${flagOf(key)} <${value}>`;
    const shown = fallback === '' ? '' : code(fallback);
    return [code(key), code(flag), code(variableOf(key)), shown, cell(about)];
  });
  return table(['In a file', 'Flag', 'Variable', 'Default', 'Meaning'], rows);
}

/** The verbs with the rpcs that they open. */
function rightsTable(): string {
  const byVerbs = new Map<string, string[]>();
  for (const rules of Object.values(ACCESS_RULES)) {
    for (const [method, rule] of Object.entries(rules as Record<string, AccessRule<never>>)) {
      const verbs = rule.verbs.map((verb) => code(verb)).join(' or ') || 'none';
      const rpc = code(method.charAt(0).toUpperCase() + method.slice(1));
      byVerbs.set(verbs, [...(byVerbs.get(verbs) ?? []), rpc]);
    }
  }
  const rows = [...byVerbs].map(([verbs, rpcs]) => [verbs, rpcs.join(', ')]);
  return table(['Needs', 'Rpcs'], rows);
}
