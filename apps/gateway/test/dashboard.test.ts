import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '../src/metrics/definitions.js';
import { type Sample, samplesOf } from './exposition.js';
import { ends, type Observed, observed, workload } from './observed-workload.js';
import { readingOf } from './promql.js';

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url));
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { panels } = JSON.parse(read('grafana/echomq.json')) as { panels: Panel[] };

/** As Grafana would ask, for everything. */
const asked = (expr: string) =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(queue|namespace)\b/g, '.*');
const targets = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr: asked(expr), legendFormat })),
);
const { groups } = parse(read('prometheus/alerts.yaml')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
const rules = groups.flatMap((group) => group.rules);

/** The one metric of which a healthy gateway has none. */
const ERRORS_OF_READS = 'echomq_queue_read_errors_total';
const isOf = (metric: string, name: string) => name === metric || name === `${metric}_count`;

/** Labels that Prometheus itself puts on what it scrapes. */
const SCRAPED = ['instance', 'job'];

const redis = useRedis();
let at: Observed;
let samples: readonly Sample[];

beforeAll(async () => {
  at = await observed(redis);
  const cancel = await workload(at, redis);
  await eventually(async () => {
    samples = samplesOf(await (await at.get('/metrics')).text());
    expect(samples.map(({ name }) => name)).toContain('echomq_jobs_recovered_total');
    expect(samples.some(({ name, value }) => name === 'echomq_work_streams' && value === 1)).toBe(
      true,
    );
  });
  return cancel;
});
afterAll(() => at.close());

describe('the dashboard', () => {
  it.each(targets)('has data for $title: $expr', ({ expr, legendFormat }) => {
    const { selected, grouped } = readingOf(expr);
    expect(selected).not.toEqual([]);
    for (const { metric, labels } of selected) {
      const wanted = [...labels, ...grouped].filter((label) => !SCRAPED.includes(label));
      const found = samples.filter(
        (sample) => sample.name === metric && wanted.every((label) => label in sample.labels),
      );
      expect(found, `${metric} with ${wanted}`).not.toEqual([]);
    }
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(grouped).toContain(label);
    }
  });

  it('has metrics that move: each is above zero after a little of everything', async () => {
    const still = Object.keys(METRICS).filter(
      (metric) => !samples.some(({ name, value }) => isOf(metric, name) && value > 0),
    );
    // It counts what goes wrong here: `metrics.test.ts` has it move.
    expect(still).toEqual([ERRORS_OF_READS]);
  });

  it('shows every metric of the gateway', () => {
    const shown = targets
      .flatMap(({ expr }) => readingOf(expr).selected)
      .map(({ metric }) => metric.replace(/_bucket$/, ''));
    expect(Object.keys(METRICS).filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('has a title and a number for each panel', () => {
    for (const of of [panels.map(({ title }) => title), panels.map(({ id }) => id)]) {
      expect(new Set<unknown>(of).size).toBe(panels.length);
    }
  });
});

describe('the alerts', () => {
  it.each(rules)('$alert reads what there is', ({ expr }) => {
    for (const { metric, labels } of readingOf(expr).selected) {
      const found = samples.filter(
        ({ name, labels: has }) =>
          name === metric && labels.every((label) => label in has || SCRAPED.includes(label)),
      );
      expect(found, metric).not.toEqual([]);
    }
  });
});

describe('the scaling examples', () => {
  const queries = [...read('keda/scaledobject.yaml').matchAll(/query: (.+)/g)].map(
    ([, query = '']) => query,
  );
  it.each(queries)('%s reads what there is', (query) => {
    for (const { metric, labels } of readingOf(query).selected) {
      expect(samples.some(({ name }) => name === metric)).toBe(true);
      expect(labels).toEqual(['queue']);
    }
  });

  it('the one without Prometheus reads a number of /scaling', async () => {
    const text = read('keda/scaledobject-json.yaml');
    const [, path = ''] = /url: http:\/\/[^/]+(\S+)/.exec(text) ?? [];
    const [, field = ''] = /valueLocation: (\w+)/.exec(text) ?? [];
    const signal = (await (await at.get(path)).json()) as Record<string, unknown>;
    expect(signal[field]).toEqual(expect.any(Number));
  });
});

/** Writes what the panels showed into docs/observed.md. */
function writePanels(rows: ReadonlyMap<string, string>): void {
  const path = fileURLToPath(new URL('../../../docs/observed.md', import.meta.url));
  const lines = [...rows].map(([key, values]) => {
    const [title = '', expr = ''] = key.split(/\|(.*)/s);
    return `| ${title} | \`${expr.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')}\` | ${values} |`;
  });
  const table = ['| Panel | Asks | Values |', '| --- | --- | --- |', ...lines].join('\n');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(
      /(<!-- panels\b[^>]*-->\n)[\s\S]*?(<!-- \/panels -->)/,
      (_whole, head: string, end: string) => `${head}\n${table}\n\n${end}`,
    ),
  );
}

/** Debian's package brings both; without it what the expressions read is checked, not what they compute. */
const engine = '/usr/bin/prometheus';

describe.runIf(existsSync(engine))('in Prometheus itself', () => {
  it('every expression of the dashboard gives numbers above zero', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'echomq-prometheus-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `scrape_configs: [{job_name: echomq, scrape_interval: 500ms, static_configs: [{targets: ['${at.gateway.metricsAddress}']}]}]\n`,
    );
    const address = `127.0.0.1:${20_000 + (process.pid % 20_000)}`;
    const abort = new AbortController();
    const running = promisify(execFile)(
      engine,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { signal: abort.signal, maxBuffer: 1e7 },
    ).catch(() => undefined);
    onTestFinished(async () => {
      abort.abort();
      await running;
    });
    const ask = async (expr: string) => {
      const url = `http://${address}/api/v1/query?query=${encodeURIComponent(expr)}`;
      const { data } = (await (await fetch(url)).json()) as {
        data: { result: { value: [number, string] }[] };
      };
      return data.result.map(({ value }) => Number(value[1]));
    };
    const rows = new Map<string, string>();
    await eventually(async () => expect(await ask('echomq_ready')).toEqual([1]), 15_000);
    // What is counted must grow between two scrapes for a rate to be more than zero: the same once more, without what
    // was left of the first time.
    for (let left = await at.fetch('orders'); left; left = await at.fetch('orders')) {
      await at.finish(left, ends.complete);
    }
    onTestFinished(await workload(at, redis));
    await eventually(async () => {
      const empty: string[] = [];
      for (const { title, expr } of targets) {
        const values = await ask(expr);
        rows.set(
          `${title}|${expr}`,
          // Percentiles of what did not happen in the last minute are no numbers.
          values
            .filter(Number.isFinite)
            .map((value) => Number(value.toPrecision(3)))
            .join(', '),
        );
        const healthy = expr.includes(ERRORS_OF_READS) && values.length === 1;
        if (!healthy && !values.some((value) => value > 0)) empty.push(`${title}: ${expr}`);
      }
      expect(empty).toEqual([]);
    }, 25_000);
    if (process.env.ECHOMQ_WRITE_DOCS === '1') writePanels(rows);
  }, 60_000);

  it('its own checker takes the alerts', async () => {
    const check = promisify(execFile)('/usr/bin/promtool', [
      'check',
      'rules',
      join(deploy, 'prometheus/alerts.yaml'),
    ]);
    expect((await check).stdout).toContain(`${rules.length} rules found`);
  });
});
