import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './pages.js';
import { withSection } from './write-section.js';

/** A sum of samples that only a label of little interest tells apart. */
interface Row {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

/** The metrics of a gateway as the rows of a table: histograms as their count and their mean, what is 0 left out. */
export function demoRows(exposition: string): readonly Row[] {
  const samples = [...exposition.matchAll(/^(echomq_\w+)(?:\{(.*)\})? ([\d.e+-]+)$/gm)].map(
    ([, name = '', labels = '', value = '']) => ({
      name,
      labels: labels.replace(/namespace="",?/, '').replace(/,$/, ''),
      value: Number(value),
    }),
  );
  const sumOf = new Map(samples.map(({ name, labels, value }) => [`${name}{${labels}`, value]));
  return samples.flatMap(({ name, labels, value }): Row[] => {
    if (/_(bucket|sum)$/.test(name) || value === 0) return [];
    if (!name.endsWith('_count')) return [{ name, labels, value }];
    const base = name.slice(0, -'_count'.length);
    const sum = sumOf.get(`${base}_sum{${labels}`) ?? 0;
    return [
      { name, labels, value },
      { name: `${base} (mean)`, labels, value: sum / value },
    ];
  });
}

/** Those rows as a table of Markdown. */
export function demoTable(exposition: string): string {
  const rows = demoRows(exposition).map(
    ({ name, labels, value }) =>
      `| \`${name}\` | ${labels === '' ? '' : `\`${labels}\``} | ${Number(value.toPrecision(4))} |`,
  );
  return ['| Metric | Labels | Value |', '| --- | --- | --- |', ...rows].join('\n');
}

const PAGE = join(ROOT, 'docs/observed.md');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(process.argv[2] ?? '', 'utf8');
  writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), 'demo', demoTable(text)));
}
