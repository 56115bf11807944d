/** Throughput of all streams together by the number of streams, one line for each kind of transfer. */
import type { LineSeriesOption } from 'echarts/charts';
import { axisEnd, tickLabel } from './axis';
import type { ChartForm } from './svg';
import { Colour, paletteColour, renderSvg, symbolOf } from './svg';

export interface StreamLine {
  readonly name: string;
  readonly points: readonly { readonly streams: number; readonly gigabitsPerSecond: number }[];
  readonly isOverlay?: boolean;
}

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 260, left: 54, right: 24 },
  narrow: { widthPixels: 400, plotPixels: 220, left: 46, right: 14 },
} as const;

const TOP = 34;
const AXIS = 52;
const LEGEND_LINE = 22;

export function streamChart(id: string, lines: readonly StreamLine[], form: ChartForm): string | undefined {
  const counts = [...new Set(lines.flatMap(({ points }) => points.map(({ streams }) => streams)))].sort(
    (a, b) => a - b,
  );
  if (counts.length < 2) return undefined;
  const shape = FORMS[form];
  const text = { fontSize: 12, color: Colour.muted };
  const highest = Math.max(...lines.flatMap(({ points }) => points.map((point) => point.gigabitsPerSecond)));
  return renderSvg(
    `${id}-${form}`,
    'Throughput by number of streams',
    { widthPixels: shape.widthPixels, heightPixels: TOP + shape.plotPixels + AXIS + LEGEND_LINE * lines.length },
    {
      legend: {
        data: lines.map(({ name }) => name),
        orient: 'vertical',
        left: shape.left,
        top: TOP + shape.plotPixels + AXIS,
        itemGap: 8,
        backgroundColor: Colour.paper,
        borderColor: Colour.paper,
        textStyle: { ...text, color: Colour.ink, width: shape.widthPixels - shape.left - 60, overflow: 'truncate' },
      },
      grid: {
        left: shape.left,
        right: shape.right,
        top: TOP,
        height: shape.plotPixels,
        outerBoundsMode: 'none',
      },
      xAxis: {
        type: 'category',
        data: counts.map(String),
        name: 'parallel streams',
        nameLocation: 'middle',
        nameGap: 28,
        nameTextStyle: text,
        axisLabel: { ...text, interval: 0 },
        axisLine: { lineStyle: { color: Colour.muted } },
        axisTick: { alignWithLabel: true, lineStyle: { color: Colour.muted } },
      },
      yAxis: {
        type: 'value',
        min: 0,
        ...axisEnd(highest),
        name: 'Gbit/s, all streams together',
        nameTextStyle: { ...text, align: 'left', padding: [0, 0, 0, -shape.left + 12] },
        axisLabel: { ...text, formatter: tickLabel },
        splitLine: { lineStyle: { color: Colour.grid } },
      },
      series: lines.map(({ name, points, isOverlay }, index): LineSeriesOption => {
        const color = isOverlay ? Colour.published : paletteColour(index);
        return {
          type: 'line',
          name,
          data: points.map(({ streams, gigabitsPerSecond }) => [String(streams), gigabitsPerSecond]),
          symbol: symbolOf(index),
          symbolSize: 7,
          lineStyle: { width: isOverlay ? 1.5 : 2, color, type: isOverlay ? [5, 4] : 'solid' },
          itemStyle: { color },
        };
      }),
    },
  );
}
