/** Round trip by percentile, one line per measurement, on a logarithmic scale: the tail is the question. */
import type { MeasurementResult } from '../../model/result';
import { PERCENTILE_FIELDS, percentileName } from '../../model/percentiles';
import type { RttQuantiles } from '../../model/statistics';
import { micros } from '../../text/format';
import { rttOf } from '../verdict-table';
import { pairOfTypes } from '../wording';
import type { ChartForm } from './svg';
import { Colour, renderSvg } from './svg';

/** As many as the palette tells apart. */
export const MAX_LATENCY_LINES = Colour.palette.length;

const QUANTILES: readonly (readonly [key: keyof RttQuantiles, word: string])[] = [
  ['min', 'min'],
  ...PERCENTILE_FIELDS.map((field) => [field, percentileName(field)] as const),
  ['max', 'max'],
];

/** Once filled, then hollow. ECharts' own hollow ones are white inside, also in the dark. */
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'];

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 280, left: 64, right: 30 },
  narrow: { widthPixels: 400, plotPixels: 240, left: 52, right: 16 },
} as const;

const TOP = 34;
const AXIS = 34;
const LEGEND_LINE = 24;

export function latencyChart(results: readonly MeasurementResult[], form: ChartForm): string | undefined {
  const shown = results.filter((result) => rttOf(result) !== undefined).slice(0, MAX_LATENCY_LINES);
  if (shown.length === 0) return undefined;
  const shape = FORMS[form];
  const present = QUANTILES.filter(([key]) => shown.some((result) => rttOf(result)?.[key] !== undefined));
  const values = shown
    .flatMap((result) => present.map(([key]) => rttOf(result)?.[key]))
    .filter((it) => it !== undefined);
  const text = { fontSize: 12, color: Colour.muted };
  const nameOf = (result: MeasurementResult) => `${result.measurementId} ${pairOfTypes(result)}`;
  const svg = renderSvg(
    `latency-${form}`,
    'Round trip by percentile',
    {
      widthPixels: shape.widthPixels,
      heightPixels: TOP + shape.plotPixels + AXIS + LEGEND_LINE * shown.length,
    },
    {
      legend: {
        data: shown.map(nameOf),
        orient: 'vertical',
        left: shape.left,
        top: TOP + shape.plotPixels + AXIS,
        itemGap: 10,
        backgroundColor: Colour.paper,
        borderColor: Colour.paper,
        textStyle: { ...text, color: Colour.ink },
      },
      grid: { left: shape.left, right: shape.right, top: TOP, height: shape.plotPixels },
      xAxis: {
        type: 'category',
        data: present.map(([, word]) => word),
        axisLabel: { ...text, interval: 0, hideOverlap: true },
        axisLine: { lineStyle: { color: Colour.muted } },
        axisTick: { show: false },
      },
      yAxis: {
        type: 'log',
        name: 'round trip, µs',
        min: niceBelow(Math.min(...values)),
        max: niceAbove(Math.max(...values)),
        nameTextStyle: { ...text, align: 'left', padding: [0, 0, 0, -shape.left + 12] },
        axisLabel: { ...text, formatter: (value: number) => (value < 100 ? String(value) : (micros(value) ?? '')) },
        splitLine: { lineStyle: { color: Colour.grid } },
      },
      series: shown.map((result, index) => {
        const color = Colour.palette[index]!;
        return {
          type: 'line',
          name: nameOf(result),
          data: present.map(([key]) => rttOf(result)?.[key] ?? null),
          // A percentile that this version of the tool does not print is no gap in what was measured.
          connectNulls: true,
          symbol: SYMBOLS[index % SYMBOLS.length]!,
          symbolSize: 7,
          lineStyle: { width: 2, color },
          itemStyle: index < SYMBOLS.length ? { color } : { color: Colour.paper, borderColor: color, borderWidth: 1.5 },
        };
      }),
    },
  );
  return svg;
}

// ECharts labels a logarithmic axis at powers of ten only, so the axis begins and ends at one.
const niceBelow = (value: number) => 10 ** Math.floor(Math.log10(Math.max(value, 0.1)));
const niceAbove = (value: number) => 10 ** Math.ceil(Math.log10(Math.max(value, 1)));
