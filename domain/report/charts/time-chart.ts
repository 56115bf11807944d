/** A chart of one measurement over time: plots beneath each other, on one time axis. */
import type { MeasurementResult } from '../../model/result';
import { nameAboveAxis, tickLabel, timeTickLabel } from './axis';
import type { Panel } from './panels';
import type { DrawnChart, Plot } from './shared-lines';
import { Colour, renderSvg, type ChartForm, type ChartOption } from './svg';

const FORMS = {
  wide: { widthPixels: 960, left: 54, right: 18 },
  narrow: { widthPixels: 400, left: 44, right: 10 },
} as const;
/** The height of the series itself. */
export const PLOT_PIXELS = { wide: 250, narrow: 210 } as const;

/** Above the first plot stand the name of its axis and, on a line of its own, the onset. */
const TOP = 54;
const AXIS = 46;
const BETWEEN = 34;

export interface TimeChart {
  readonly id: string;
  readonly label: string;
  /** The end of the time axis. */
  readonly lastSeconds: number;
  /** Names of series; shown where there are several. */
  readonly legend: readonly string[];
}

/** The end of the time axis: that of the planned duration, where the measurement ended early. */
export function lastSecondsOf(result: MeasurementResult, endSeconds: number): number {
  // A measurement that stopped because it had seen enough is whole; seconds are missing only after one that ended
  // early.
  const isWhole = result.status === 'complete' && result.stopAfterThrottledSeconds !== undefined;
  return isWhole ? Math.ceil(endSeconds) : Math.max(endSeconds, result.durationSeconds);
}

export function renderPanels(
  panels: readonly Panel[],
  form: ChartForm,
  { id, label, lastSeconds, legend }: TimeChart,
): DrawnChart {
  const { widthPixels, left, right } = FORMS[form];
  const topOf = (index: number) =>
    panels.slice(0, index).reduce((top, above) => top + above.heightPixels + BETWEEN, TOP);
  const plots = panels.map(({ heightPixels }, index): Plot => ({
    left,
    top: topOf(index),
    width: widthPixels - left - right,
    height: heightPixels,
  }));
  const option: ChartOption = {
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
    // All plots have exactly this width, so that their time axes are aligned.
    grid: plots.map(({ top, height }) => ({ left, right, outerBoundsMode: 'none', top, height })),
    xAxis: panels.map((_, gridIndex) => {
      const isLowest = gridIndex === panels.length - 1;
      return {
        type: 'value',
        gridIndex,
        min: 0,
        max: lastSeconds,
        name: isLowest ? 'seconds since the start of the load' : '',
        nameLocation: 'middle',
        nameGap: 28,
        axisLabel: {
          show: isLowest,
          hideOverlap: true,
          showMaxLabel: true,
          alignMaxLabel: 'right',
          formatter: timeTickLabel(lastSeconds),
        },
        axisTick: { show: isLowest },
        splitLine: { show: false },
      };
    }),
    yAxis: panels.map(({ name, nameKeys, axis }, gridIndex) => ({
      type: 'value',
      gridIndex,
      min: 0,
      name,
      nameTextStyle: { ...nameAboveAxis(left), rich: nameKeys },
      nameGap: gridIndex === 0 ? 26 : 8,
      axisLabel: { hideOverlap: true, formatter: tickLabel },
      splitNumber: gridIndex === 0 ? 5 : 2,
      ...axis,
    })),
    series: panels.flatMap((panel, index) =>
      panel.series.map((line) => ({ ...line, xAxisIndex: index, yAxisIndex: index })),
    ),
  };
  const heightPixels = topOf(panels.length) - BETWEEN + AXIS;
  const svg = renderSvg(`${id}-${form}`, label, { widthPixels, heightPixels }, option);
  // The script of the page finds the time under the pointer by these.
  return { id, plots, svg: svg.replace('<svg', `<svg data-plot="${left} ${widthPixels - right} ${lastSeconds}"`) };
}
