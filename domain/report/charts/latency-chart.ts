/** Round trip by percentile, one line per measurement. The scale is logarithmic, because the tail matters most. */
import type { MeasurementResult } from '../../model/result';
import { PERCENTILE_FIELDS, percentileName } from '../../model/percentiles';
import type { RttQuantiles } from '../../model/statistics';
import { micros } from '../../text/format';
import { rttOf } from '../verdict-table';
import { pairOfTypes } from '../wording';
import type { ChartForm } from './svg';
import { logAxisEnds } from './axis';
import { Colour, PALETTE_SIZE, paletteColour, renderSvg, symbolOf, SYMBOLS } from './svg';

/** As many lines as have a colour of their own. */
export const MAX_LATENCY_LINES = PALETTE_SIZE;

const QUANTILES: readonly (readonly [key: keyof RttQuantiles, word: string])[] = [
  ['min', 'min'],
  ...PERCENTILE_FIELDS.map((field) => [field, percentileName(field)] as const),
  ['max', 'max'],
];

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
    .filter((value) => value !== undefined);
  const text = { fontSize: 12, color: Colour.muted };
  const nameOf = (result: MeasurementResult) => `${result.measurementId} ${pairOfTypes(result)}`;
  return renderSvg(
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
        ...logAxisEnds(values),
        nameTextStyle: { ...text, align: 'left', padding: [0, 0, 0, -shape.left + 12] },
        axisLabel: { ...text, formatter: (value: number) => (value < 100 ? String(value) : (micros(value) ?? '')) },
        splitLine: { lineStyle: { color: Colour.grid } },
      },
      series: shown.map((result, index) => {
        const color = paletteColour(index);
        return {
          type: 'line',
          name: nameOf(result),
          data: present.map(([key]) => rttOf(result)?.[key] ?? null),
          // The line continues across a percentile that this version of the tool does not print.
          connectNulls: true,
          symbol: symbolOf(index),
          symbolSize: 7,
          lineStyle: { width: 2, color },
          // When all symbols are used up they come again, hollow. The hollow symbols of ECharts itself are white
          // inside, which looks wrong in the dark theme.
          itemStyle: index < SYMBOLS.length ? { color } : { color: Colour.paper, borderColor: color, borderWidth: 1.5 },
        };
      }),
    },
  );
}
