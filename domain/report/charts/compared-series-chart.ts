/** Draws the series of several pairs on the same axes, each named at its right end. */
import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts';
import { largest } from '../../maths/statistics';
import type { Html } from '../page/html';
import { axisEnd } from './axis';
import { envelope, type TimePoint } from './downsampling';
import { timeChartPair } from './shared-lines';
import { paletteColour, PLACED_TEXT, withoutBraces, type ChartForm, type ChartSpec } from './svg';
import { renderTimeChart, type Panel } from './time-chart';

export interface ComparedSeries {
  /** Must fit beside the plot on a phone. */
  readonly name: string;
  /** Gbit/s over the seconds since the start of the load; null where seconds are missing. */
  readonly points: readonly TimePoint[];
}

export interface ComparedSeriesChart extends ChartSpec {
  readonly series: readonly ComparedSeries[];
}

const TOP = 34;
const FORMS = {
  wide: { room: { widthPixels: 960, left: 54, right: 150, top: TOP, nameGap: 15 }, plotPixels: 280 },
  narrow: { room: { widthPixels: 400, left: 44, right: 118, top: TOP, nameGap: 15 }, plotPixels: 240 },
} as const;
const LINE_PIXELS = 15;

/** Dash styles alternate, so that adjacent colours differ in their dashes too. */
const DASHES = ['solid', [6, 3], [2, 3]] as const;
const KEYS = ['━', '╍', '┅'] as const;

export function comparedSeriesChart({ series, ...spec }: ComparedSeriesChart): Html {
  const points = series.flatMap((line) => line.points);
  const lastSeconds = Math.ceil(largest(points.map(([seconds]) => seconds)));
  const axis = axisEnd(largest(points.map(([, gigabits]) => gigabits ?? 0)));
  const lines = series.map((line, index): LineSeriesOption => {
    const color = paletteColour(index);
    const dash = DASHES[index % DASHES.length];
    return {
      type: 'line',
      data: envelope(line.points),
      showSymbol: false,
      lineStyle: { width: 1.5, color, type: typeof dash === 'string' ? dash : dash && [...dash] },
      itemStyle: { color },
    };
  });
  return timeChartPair((form) => {
    const { room, plotPixels: heightPixels } = FORMS[form];
    const panel: Panel = { name: 'Gbit/s', heightPixels, axis, series: [...lines, names(series, form, axis.max)] };
    return renderTimeChart({ ...spec, panels: [panel], lastSeconds, legend: [], room }, form);
  });
}

/** Places the names right of the plot, at the height where each line ends, moved apart where they would overlap. */
function names(series: readonly ComparedSeries[], form: ChartForm, most: number): CustomSeriesOption {
  const { plotPixels, room } = FORMS[form];
  const heights = series
    .map(({ points }, index) => ({ index, wanted: TOP + (1 - (points.at(-1)?.[1] ?? 0) / most) * plotPixels }))
    .sort((one, other) => one.wanted - other.wanted);
  const highest = TOP + plotPixels - (series.length - 1) * LINE_PIXELS;
  let previous = -Infinity;
  const placed = new Map(
    heights.map(({ index, wanted }, rank) => {
      previous = Math.min(Math.max(wanted, previous + LINE_PIXELS), highest + rank * LINE_PIXELS);
      return [index, previous] as const;
    }),
  );
  return {
    type: 'custom',
    z: 5,
    data: series.map((_, index) => [0, index]),
    renderItem: ({ dataIndex }) => ({
      type: 'text',
      x: room.widthPixels - room.right + 8,
      y: placed.get(dataIndex) ?? TOP,
      style: {
        ...PLACED_TEXT,
        text: `{key|${KEYS[dataIndex % KEYS.length]}} ${withoutBraces(series[dataIndex]?.name ?? '')}`,
        rich: { key: { fill: paletteColour(dataIndex) } },
      },
    }),
  };
}
