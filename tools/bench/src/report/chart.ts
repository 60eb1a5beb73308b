import * as vega from 'vega';
import type { SceneResult } from '../run/run-plan.js';
import { sceneRows } from './scene-rows.js';

/** A bar for each contender of a scene: the median of its first figure, with a line from the smallest to the largest. */
export async function chart(result: SceneResult): Promise<string> {
  const figure = Object.keys(sceneRows(result)[0]?.figures ?? {})[0] ?? '';
  const values = result.series.flatMap(({ contender, runs }, at) => {
    const all = runs.flatMap((run) => (run?.[figure] === undefined ? [] : [run[figure]]));
    if (all.length === 0) return [];
    const middle = sceneRows(result)[at]?.figures[figure] ?? 0;
    const ours = contender.startsWith('echomq');
    return [{ contender, middle, low: Math.min(...all), high: Math.max(...all), ours }];
  });
  const spec: vega.Spec = {
    width: 480,
    height: values.length * 28,
    padding: 8,
    background: 'white',
    title: { text: `${result.scene.title} (${figure})`, anchor: 'start' },
    data: [{ name: 'table', values }],
    scales: [
      {
        name: 'x',
        domain: { data: 'table', field: 'high' },
        zero: true,
        nice: true,
        range: 'width',
      },
      {
        name: 'y',
        type: 'band',
        domain: { data: 'table', field: 'contender' },
        range: 'height',
        padding: 0.25,
      },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', grid: true, tickCount: 6 },
      { orient: 'left', scale: 'y' },
    ],
    marks: [bars(), ranges()],
  };
  return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}

function bars(): vega.Mark {
  return {
    type: 'rect',
    from: { data: 'table' },
    encode: {
      enter: {
        x: { scale: 'x', value: 0 },
        x2: { scale: 'x', field: 'middle' },
        y: { scale: 'y', field: 'contender' },
        height: { scale: 'y', band: 1 },
        fill: [{ test: 'datum.ours', value: '#2563a8' }, { value: '#a9b4c0' }],
      },
    },
  };
}

function ranges(): vega.Mark {
  return {
    type: 'rule',
    from: { data: 'table' },
    encode: {
      enter: {
        x: { scale: 'x', field: 'low' },
        x2: { scale: 'x', field: 'high' },
        y: { scale: 'y', field: 'contender', band: 0.5 },
        stroke: { value: '#1c2733' },
        strokeWidth: { value: 1.5 },
      },
    },
  };
}
