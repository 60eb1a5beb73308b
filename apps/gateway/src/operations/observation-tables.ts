import { type Definition, METRICS } from '../metrics/definitions.js';
import { EVENTS } from '../watching/events.js';
import { code, table } from './markdown.js';

/** Every metric of the gateway's own. */
export function metricsTable(): string {
  const rows = Object.entries(METRICS as Readonly<Record<string, Definition>>).map(
    ([name, { kind, labels, help }]) => [
      code(name),
      kind,
      labels.map((label) => code(label)).join(', '),
      help,
    ],
  );
  return table(['Metric', 'Kind', 'Labels', 'Meaning'], rows);
}

/** Every event of the log. */
export function eventsTable(): string {
  const rows = Object.entries(EVENTS).map(([name, { level, about }]) => [code(name), level, about]);
  return table(['Event', 'Level', 'Meaning'], rows);
}
