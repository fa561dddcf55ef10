import { fields, quiet, values } from '../define.ts';
import type { TypeEntry } from '../types.ts';
import { adapted, split } from '../verdicts.ts';

const CHART = {
  rule: 'DT709',
  since: '0.12.0',
  becomes: 'Result of @e2b/code-interpreter',
  fix: 'manual',
  verdicts: split(
    adapted('Charts come with the results of the code interpreter.'),
    adapted('Needs a code-interpreter template; charts come with its results.'),
  ),
} as const;

/** A chart of one type: the same fields under a narrower name. */
const variant = (name: string, parent = 'Chart'): TypeEntry => ({
  name,
  kind: 'interface',
  exported: true,
  heritage: `extends ${parent}`,
  ...CHART,
});

const point = (name: string): TypeEntry => variant(name, 'ChartElement');

/** Charts found in the output of executed code. */
export const CHARTS: readonly TypeEntry[] = [
  {
    name: 'Chart',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...CHART,
    members: {
      type: quiet('string'),
      png: quiet('string'),
      title: quiet('string'),
      elements: quiet('any[]'),
      ...fields('string', 'x_label', 'x_scale', 'y_label', 'y_scale'),
      ...fields('string[]', 'x_tick_labels', 'y_tick_labels'),
      ...fields('any[]', 'x_ticks', 'y_ticks'),
    },
  },
  {
    name: 'ChartElement',
    kind: 'interface',
    exported: true,
    client: 'toolbox-api-client',
    ...CHART,
    since: '0.167.0',
    members: {
      ...fields('string', 'label', 'group', 'value', 'title', 'type', 'png', 'x_label', 'y_label'),
      ...fields('number', 'angle', 'radius', 'min', 'max', 'median'),
      ...fields('number', 'first_quartile', 'third_quartile'),
      outliers: quiet('number[]'),
      points: quiet('any[]'),
    },
  },
  ...['Chart2D', 'PointChart', 'LineChart', 'ScatterChart'].map((name) => variant(name)),
  ...['BarChart', 'PieChart', 'BoxAndWhiskerChart', 'CompositeChart'].map((name) => variant(name)),
  ...['PointData', 'BarData', 'PieData', 'BoxAndWhiskerData'].map(point),
  {
    name: 'ChartType',
    kind: 'enum',
    exported: true,
    ...CHART,
    members: values({
      LINE: 'line',
      SCATTER: 'scatter',
      BAR: 'bar',
      PIE: 'pie',
      BOX_AND_WHISKER: 'box_and_whisker',
      COMPOSITE_CHART: 'composite_chart',
      UNKNOWN: 'unknown',
    }),
  },
];
