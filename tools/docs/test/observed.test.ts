import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { demoRows, demoTable } from '../src/demo-metrics.js';
import { blockIn, ROOT, readPage } from '../src/index.js';

const page = readPage('docs/observed.md');
const sectionOf = (name: string) =>
  page.split(`<!-- ${name}:`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';

it('observed.md has the columns that `echomq status` has', () => {
  const [heads = ''] = blockIn('docs/observed.md', { language: '', has: 'QUEUE' }).text.split('\n');
  const source = readFileSync(join(ROOT, 'apps/cli/src/commands/status.ts'), 'utf8');
  const [, states = ''] = /const STATES = \[([^\]]*)\]/.exec(source) ?? [];
  const names = [...states.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name.toUpperCase());
  expect(heads.trim().split(/\s+/)).toEqual(['QUEUE', ...names, 'WORKERS']);
});

it('observed.md names metrics that the gateway has, and the demo showed most of them', () => {
  const { length } = [...readPage('docs/operations.md').matchAll(/^\| `echomq_\w+`/gm)];
  const known = readPage('docs/operations.md');
  const shown = new Set(
    [...sectionOf('demo').matchAll(/^\| `(echomq_\w+?)(?:_count)?(?: \(mean\))?`/gm)].map(
      ([, name = '']) => name,
    ),
  );
  expect([...shown].filter((name) => !known.includes(`| \`${name}\` |`))).toEqual([]);
  expect(shown.size).toBeGreaterThan(length / 2);
});

it('observed.md has a value for each panel of the Grafana dashboard', () => {
  const path = join(ROOT, 'apps/gateway/deploy/grafana/echomq.json');
  const { panels } = JSON.parse(readFileSync(path, 'utf8')) as {
    panels: { title: string; targets?: unknown[] }[];
  };
  const rows = sectionOf('panels').split('\n');
  for (const { title, targets = [] } of panels) {
    const of = rows.filter((row) => row.startsWith(`| ${title} | `));
    expect(of.length, title).toBe(targets.length);
    for (const row of of) expect(row).toMatch(/ \| \S.* \|$/);
  }
});

it('histograms are shown as count and mean, and what is 0 is left out', () => {
  const text = [
    'echomq_job_run_seconds_sum{namespace="",queue="q"} 3',
    'echomq_job_run_seconds_count{namespace="",queue="q"} 2',
    'echomq_jobs_failed_total{namespace="",queue="q"} 0',
    'process_cpu_seconds_total 1',
  ].join('\n');
  expect(demoRows(text)).toEqual([
    { name: 'echomq_job_run_seconds_count', labels: 'queue="q"', value: 2 },
    { name: 'echomq_job_run_seconds (mean)', labels: 'queue="q"', value: 1.5 },
  ]);
  expect(demoTable(text)).toContain('| `echomq_job_run_seconds (mean)` | `queue="q"` | 1.5 |');
});
