import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Throughput } from './answers.js';
import { count } from './format.js';

const HEIGHT = 132;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** What finished per minute in the last hour. */
export function ThroughputGraph({ throughput }: { throughput: Throughput | undefined }) {
  if (!throughput) {
    return (
      <p class="empty small">
        No throughput yet. It is counted by the minute where the gateway runs with{' '}
        <code>metricsMinutes</code> above 0.
      </p>
    );
  }
  const { completed, failed } = throughput;
  const words = `${count(sum(completed))} completed, ${count(sum(failed))} failed in the hour shown`;
  return (
    <figure class="graph">
      <figcaption>
        <span class="key completed">completed</span> <span class="key failed">failed</span> per
        minute
        <small>{words}</small>
      </figcaption>
      <Canvas throughput={throughput} label={words} />
    </figure>
  );
}

function Canvas({ throughput, label }: { throughput: Throughput; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const dark = useDark();
  const data = dataOf(throughput);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const made = new uPlot(optionsOf(element), data, element);
    plot.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [dark]);
  const print = JSON.stringify(throughput);
  useEffect(() => plot.current?.setData(dataOf(throughput)), [print]);
  return <div ref={box} class="plot" role="img" aria-label={label} />;
}

function dataOf({ newestAt, completed, failed }: Throughput): uPlot.AlignedData {
  const newest = newestAt / 1_000;
  const minutes = completed.map((_, at) => newest - (completed.length - 1 - at) * 60);
  return [minutes, [...completed], [...failed]];
}

function optionsOf(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--muted'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const line = (label: string, name: string) => ({
    label,
    stroke: color(name),
    fill: `${color(name)}1f`,
    width: 1.5,
    points: { show: false },
  });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, times) => times.map(clock),
        space: 70,
        size: 26,
      },
      {
        ...axis,
        size: 42,
        space: 34,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 5e4, 1e5, 1e6],
      },
    ],
    series: [{}, line('completed', '--completed'), line('failed', '--failed')],
  };
}

const clock = (seconds: number): string => new Date(seconds * 1_000).toTimeString().slice(0, 5);

/** Whether the page is dark now: a canvas does not follow the style sheet by itself. */
function useDark(): boolean {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const follow = () => setDark(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [query]);
  return dark;
}
