/** Draws lines over categories, with the legend below. */
import type { LineSeriesOption } from 'echarts/charts';
import { nameAboveAxis, nameBelowAxis, tickLabel, type AxisEnds } from './axis';
import {
  bothForms,
  Colour,
  ofForm,
  paletteColour,
  renderSvg,
  symbolOf,
  SYMBOLS,
  type ChartForm,
  type ChartSpec,
} from './svg';

export interface ChartLine {
  readonly name: string;
  readonly points: readonly (readonly [category: string, value: number | null])[];
}

export interface LineChart extends ChartSpec {
  readonly categories: readonly string[];
  readonly categoryName?: string;
  readonly valueName: string;
  readonly valueEnds: AxisEnds;
  readonly isLogarithmic?: boolean;
  readonly lines: readonly ChartLine[];
}

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 280, left: 64, right: 30 },
  narrow: { widthPixels: 400, plotPixels: 240, left: 52, right: 16 },
} as const;

const TOP = 34;
const LEGEND_LINE = 24;

export const lineChart = (chart: LineChart) => bothForms((form) => draw(chart, form));

function draw(chart: LineChart, form: ChartForm): string {
  const { categories, categoryName, valueName, valueEnds, isLogarithmic, lines } = chart;
  const { widthPixels, plotPixels, left, right } = FORMS[form];
  const legendTop = TOP + plotPixels + (categoryName === undefined ? 34 : 52);
  const heightPixels = legendTop + LEGEND_LINE * lines.length;
  return renderSvg(
    ofForm(chart, form),
    { widthPixels, heightPixels },
    {
      legend: {
        data: lines.map(({ name }) => name),
        orient: 'vertical',
        left,
        top: legendTop,
        itemGap: 10,
        textStyle: { width: widthPixels - left - 60, overflow: 'truncate' },
      },
      grid: { left, right, top: TOP, height: plotPixels },
      xAxis: {
        type: 'category',
        data: [...categories],
        ...nameBelowAxis(categoryName),
        axisLabel: { interval: 0, hideOverlap: true },
        axisTick: { show: false },
      },
      yAxis: {
        type: isLogarithmic ? 'log' : 'value',
        min: 0,
        ...valueEnds,
        name: valueName,
        nameTextStyle: nameAboveAxis(left),
        axisLabel: { formatter: tickLabel },
      },
      series: lines.map(({ name, points }, index): LineSeriesOption => {
        const color = paletteColour(index);
        return {
          type: 'line',
          name,
          data: points.map((point) => [...point]),
          // The line continues across a percentile that this version of the tool does not print.
          connectNulls: true,
          symbol: symbolOf(index),
          symbolSize: 7,
          lineStyle: { width: 2, color, type: 'solid' },
          // After all symbols are used, they repeat hollow. They are filled here because ECharts fills hollow symbols
          // with white, which looks wrong in the dark theme.
          itemStyle: index < SYMBOLS.length ? { color } : { color: Colour.paper, borderColor: color, borderWidth: 1.5 },
        };
      }),
    },
  );
}
