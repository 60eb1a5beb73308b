import type { Dumped, QueueDump } from '@echomq/testkit';
import type { QueueNames } from './oracle-case.js';

/** What a case left behind. */
export interface SiteState {
  readonly main: QueueDump;
  readonly other: QueueDump;
  /** Milliseconds to live, by key. */
  readonly mainTtls: Readonly<Record<string, number>>;
  readonly otherTtls: Readonly<Record<string, number>>;
  /** What the call returned, or how it was refused. */
  readonly reply: unknown;
}

/** Fields that hold JSON which somebody re-encodes: compared as values. `data`, results and progress stay text. */
const JSON_FIELDS = new Set(['opts', 'parent', 'stacktrace']);

/** A case's result as lines of text, in an order that both sides share; events come last, as they happened. */
export function stateLines(state: SiteState, names: QueueNames): string[] {
  const lines = [
    ...queueLines('', state.main, state.mainTtls),
    ...queueLines('other ', state.other, state.otherTtls),
    ...(state.reply === undefined ? [] : [`reply = ${JSON.stringify(state.reply)}`]),
  ].map((line) => line.replaceAll(names.main, 'Q').replaceAll(names.other, 'R'));
  const isEvent = (line: string) => /^(other )?events: /.test(line);
  return [...lines.filter((line) => !isEvent(line)).sort(), ...lines.filter(isEvent)];
}

function queueLines(
  label: string,
  dump: QueueDump,
  ttls: Readonly<Record<string, number>>,
): string[] {
  return [
    ...Object.entries(dump).flatMap(([key, value]) =>
      valueLines(key, value).map((line) => label + line),
    ),
    ...Object.entries(ttls).map(([key, ms]) => `${label}${key} lives ${roundedSeconds(ms)} s`),
  ];
}

function valueLines(key: string, value: Dumped): string[] {
  if (typeof value === 'string') return [`${key} = ${value}`];
  if (!Array.isArray(value)) {
    return Object.entries(value).map(
      ([field, text]) => `${key}.${field} = ${JSON_FIELDS.has(field) ? sortedJson(text) : text}`,
    );
  }
  if (value.every((item) => typeof item === 'string')) return [`${key} = [${value.join(', ')}]`];
  return (value as readonly (readonly [string, number] | Record<string, string>)[]).map((item) =>
    Array.isArray(item) ? `${key}: ${item[0]} @ ${item[1]}` : `${key}: ${eventText(item)}`,
  );
}

function eventText(entry: object): string {
  const { event, ...fields } = entry as Record<string, string>;
  const rest = Object.entries(fields).map(([name, text]) => ` ${name}=${text}`);
  return `${event}${rest.join('')}`;
}

/** Frames of a stack that name files: they are the machine's. */
const FRAMES = /\n\s+at [^\n]*:\d+:\d+\)?/g;

/** Times to live in a case are multiples of 10 s, so that the run's own milliseconds vanish. */
function roundedSeconds(ms: number): number {
  return Math.ceil(ms / 10_000) * 10;
}

/** Text that is no JSON stays as it is. */
function sortedJson(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
}

function sorted(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(FRAMES, '');
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}
