/** The series of several pairs on the same axes, each named at its right end. */
import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts';
import { largest } from '../../maths/statistics';
import { axisEnd, nameAboveAxis, tickLabel, timeTickLabel } from './axis';
import { envelope, type TimePoint } from './downsampling';
import type { DrawnChart } from './shared-lines';
import { Colour, FONT_PIXELS, paletteColour, renderSvg, TEXT_OUTLINE, type ChartForm } from './svg';

export interface ComparedSeries {
  /** Short enough for the room beside the plot of a phone. */
  readonly name: string;
  /** Gbit/s over the seconds since the start of the load; null where seconds are missing. */
  readonly points: readonly TimePoint[];
}

export interface ComparedSeriesChart {
  /** Unique within the page. */
  readonly id: string;
  /** For a screen reader. */
  readonly label: string;
  readonly series: readonly ComparedSeries[];
}

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 280, left: 54, right: 150 },
  narrow: { widthPixels: 400, plotPixels: 240, left: 44, right: 118 },
} as const;

const TOP = 34;
const BOTTOM = 46;
const LINE_PIXELS = 15;

/** Lines of the same kind of dash are three colours apart. */
const DASHES = ['solid', [6, 3], [2, 3]] as const;
const KEYS = ['━', '╍', '┅'] as const;

/** @returns undefined for no series */
export function comparedSeriesChart(
  { id, label, series }: ComparedSeriesChart,
  form: ChartForm,
): DrawnChart | undefined {
  const points = series.flatMap((line) => line.points);
  if (points.length === 0) return undefined;
  const { widthPixels, plotPixels, left, right } = FORMS[form];
  const lastSeconds = Math.ceil(largest(points.map(([seconds]) => seconds)));
  const values = axisEnd(largest(points.map(([, gigabits]) => gigabits ?? 0)));
  const svg = renderSvg(
    `${id}-${form}`,
    label,
    { widthPixels, heightPixels: TOP + plotPixels + BOTTOM },
    {
      grid: { left, right, top: TOP, height: plotPixels, outerBoundsMode: 'none' },
      xAxis: {
        type: 'value',
        min: 0,
        max: lastSeconds,
        name: 'seconds since the start of the load',
        nameLocation: 'middle',
        nameGap: 28,
        axisLabel: {
          hideOverlap: true,
          showMaxLabel: true,
          alignMaxLabel: 'right',
          formatter: timeTickLabel(lastSeconds),
        },
        splitLine: { show: false },
      },
      yAxis: {
        type: 'value',
        min: 0,
        ...values,
        name: 'Gbit/s',
        nameTextStyle: nameAboveAxis(left),
        axisLabel: { hideOverlap: true, formatter: tickLabel },
      },
      series: [
        ...series.map((line, index): LineSeriesOption => {
          const color = paletteColour(index);
          const dash = DASHES[index % DASHES.length];
          return {
            type: 'line',
            data: envelope(line.points),
            showSymbol: false,
            lineStyle: { width: 1.5, color, type: typeof dash === 'string' ? dash : dash && [...dash] },
            itemStyle: { color },
          };
        }),
        names(series, form, values.max),
      ],
    },
  );
  return { id, svg, plots: [{ left, top: TOP, width: widthPixels - left - right, height: plotPixels }] };
}

/** Beside the right end of the plot, at the height at which each line ends, and far enough from each other. */
function names(series: readonly ComparedSeries[], form: ChartForm, most: number): CustomSeriesOption {
  const { widthPixels, plotPixels, right } = FORMS[form];
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
      x: widthPixels - right + 8,
      y: placed.get(dataIndex) ?? TOP,
      style: {
        // ECharts takes text in braces for a style.
        text: `{key|${KEYS[dataIndex % KEYS.length]}} ${(series[dataIndex]?.name ?? '').replace(/[{}|]/g, ' ')}`,
        fill: Colour.ink,
        rich: { key: { fill: paletteColour(dataIndex) } },
        font: `${FONT_PIXELS}px sans-serif`,
        verticalAlign: 'middle',
        stroke: Colour.paper,
        lineWidth: TEXT_OUTLINE.textBorderWidth,
      },
    }),
  };
}
