import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Definition, METRICS, type MetricName } from './definitions.js';

type Made<K extends Definition['kind']> = K extends 'counter'
  ? Counter
  : K extends 'gauge'
    ? Gauge
    : Histogram;

/** Every metric of {@link METRICS} by its name. */
export type Instruments = { readonly [N in MetricName]: Made<(typeof METRICS)[N]['kind']> };

/**
 * A registry with all metrics.
 *
 * @param processToo with those of the process and of Node, the delay of the event loop among them
 */
export function makeInstruments(processToo: boolean): {
  readonly registry: Registry;
  readonly instruments: Instruments;
} {
  const registry = new Registry();
  const entries = Object.entries(METRICS as Readonly<Record<string, Definition>>);
  const made = entries.map(([name, definition]) => [name, make(name, definition, registry)]);
  if (processToo) collectDefaultMetrics({ register: registry });
  return { registry, instruments: Object.fromEntries(made) as Instruments };
}

function make(name: string, definition: Definition, registry: Registry) {
  const { help, labels, buckets } = definition;
  const common = { name, help, labelNames: [...labels], registers: [registry] };
  if (definition.kind === 'counter') return new Counter(common);
  if (definition.kind === 'gauge') return new Gauge(common);
  return new Histogram({ ...common, buckets: [...(buckets ?? [])] });
}
