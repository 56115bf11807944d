/** Draws a chart over time: plots beneath each other, on one time axis. */
import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts';
import { nameAboveAxis, tickLabel, timeAxis, type AxisEnds } from './axis';
import type { DrawnChart, Plot } from './shared-lines';
import { Colour, ofForm, renderSvg, type ChartForm, type ChartSpec } from './svg';

export interface Panel {
  readonly name: string;
  /** The styles that the name refers to, as in `{key|━}`, to serve as a legend. */
  readonly nameKeys?: Readonly<Record<string, { readonly color: string; readonly fontWeight: 'bold' }>>;
  readonly heightPixels: number;
  /** The value axis, if it is not linear from 0. */
  readonly axis?: AxisEnds & { readonly type?: 'log' };
  readonly series: readonly (LineSeriesOption | CustomSeriesOption)[];
}

export interface TimeChart extends ChartSpec {
  readonly panels: readonly Panel[];
  readonly lastSeconds: number;
  /** As of the time axis. */
  readonly since?: string;
  /** The names of series; the legend is shown only if there are several. */
  readonly legend: readonly string[];
  /** The room around the plots and the distance between the first plot and its name, in pixels. */
  readonly room: Readonly<Record<'widthPixels' | 'left' | 'right' | 'top' | 'nameGap', number>>;
}

const AXIS_PIXELS = 46;
const BETWEEN = 34;

export function renderTimeChart(chart: TimeChart, form: ChartForm): DrawnChart {
  const { id, panels, lastSeconds, since, legend, room } = chart;
  const { widthPixels, left, right, top: first, nameGap } = room;
  const topOf = (index: number) =>
    panels.slice(0, index).reduce((top, above) => top + above.heightPixels + BETWEEN, first);
  const plots = panels.map(({ heightPixels }, index): Plot => ({
    left,
    top: topOf(index),
    width: widthPixels - left - right,
    height: heightPixels,
  }));
  const heightPixels = topOf(panels.length) - BETWEEN + AXIS_PIXELS;
  const svg = renderSvg(
    ofForm(chart, form),
    { widthPixels, heightPixels },
    {
      legend: {
        show: legend.length > 1,
        data: [...legend],
        right,
        top: 4,
        icon: 'roundRect',
        itemWidth: 16,
        itemHeight: 3,
        textStyle: { color: Colour.muted },
      },
      // All plots have exactly the same width, to align their time axes.
      grid: plots.map(({ top, height }) => ({ left, right, outerBoundsMode: 'none', top, height })),
      xAxis: panels.map((_, gridIndex) => {
        const isLowest = gridIndex === panels.length - 1;
        const unnamed = { name: '', axisLabel: { show: false }, axisTick: { show: false } };
        return { ...timeAxis(lastSeconds, since), gridIndex, ...(isLowest ? {} : unnamed) };
      }),
      yAxis: panels.map(({ name, nameKeys, axis }, gridIndex) => ({
        type: 'value',
        gridIndex,
        min: 0,
        name,
        nameTextStyle: { ...nameAboveAxis(left), rich: nameKeys },
        nameGap: gridIndex === 0 ? nameGap : 8,
        axisLabel: { hideOverlap: true, formatter: tickLabel },
        splitNumber: gridIndex === 0 ? 5 : 2,
        ...axis,
      })),
      series: panels.flatMap((panel, index) =>
        panel.series.map((line) => ({ ...line, xAxisIndex: index, yAxisIndex: index })),
      ),
    },
  );
  return { id, plots, svg };
}
