/**
 * Throughput over time, with the onset, the levels and the published figures marked. Beneath it, on the same time axis,
 * stand the allowance counters, if any grew, and the round trips of the latency probe, if there was one.
 */
import type { LineSeriesOption } from 'echarts/charts';
import type { DrivenDirection } from '../../model/settings';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { pairOfTypes } from '../wording';
import { panelsBeneath } from './panels';
import { axisEnd, tickLabel } from './axis';
import { Colour, renderSvg } from './svg';
import type { ChartForm, ChartOption } from './svg';
import { gaps, highestBits, publishedLines, throughputMarks } from './throughput-marks';

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 250, fontPixels: 12, left: 54, right: 18 },
  narrow: { widthPixels: 400, plotPixels: 210, fontPixels: 12, left: 44, right: 10 },
} as const;

const TOP = 40;
const AXIS = 46;
const BETWEEN = 34;

/** @returns undefined where there is no sample to draw */
export function throughputChart(
  result: MeasurementResult,
  series: readonly Sample[],
  form: ChartForm,
): string | undefined {
  const samples = series.filter(({ metric, stream }) => metric === 'throughput' && stream === 'sum');
  if (samples.length === 0) return undefined;
  const shape = FORMS[form];
  const panels = panelsBeneath(series, form);
  const endSeconds = Math.max(...samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  // A measurement that stopped because it had seen enough is whole; seconds are missing only after one that ended
  // early.
  const isWhole = result.status === 'complete' && result.stopAfterThrottledSeconds !== undefined;
  const lastSeconds = isWhole ? Math.ceil(endSeconds) : Math.max(endSeconds, result.durationSeconds);
  const directions = (['forward', 'reverse'] as const).filter((each) =>
    samples.some((sample) => sample.direction === each),
  );
  const marked = result.verdict?.direction ?? directions[0];
  const highest = Math.max(highestBits(samples), ...publishedLines(result, samples).map(({ bits }) => bits));
  // All plots keep exactly this width, so that their time axes are aligned.
  const plot = { left: shape.left, right: shape.right, outerBoundsMode: 'none' as const };
  const text = { fontSize: shape.fontPixels, color: Colour.muted };
  const xAxis = (gridIndex: number, isLowest: boolean) => ({
    type: 'value' as const,
    gridIndex,
    min: 0,
    max: lastSeconds,
    name: isLowest ? 'seconds since the start of the load' : '',
    nameLocation: 'middle' as const,
    nameGap: 28,
    nameTextStyle: text,
    axisLabel: { ...text, show: isLowest, hideOverlap: true, showMaxLabel: true },
    axisLine: { lineStyle: { color: Colour.muted } },
    axisTick: { show: isLowest, lineStyle: { color: Colour.muted } },
    splitLine: { show: false },
  });
  const yAxis = (gridIndex: number, name: string) => ({
    type: 'value' as const,
    gridIndex,
    min: 0,
    name,
    nameTextStyle: { ...text, align: 'left' as const, padding: [0, 0, 0, -shape.left + 12] },
    nameGap: gridIndex === 0 ? 14 : 8,
    axisLabel: { ...text, hideOverlap: true, formatter: tickLabel },
    axisLine: { lineStyle: { color: Colour.muted } },
    axisTick: { lineStyle: { color: Colour.muted } },
    splitLine: { lineStyle: { color: Colour.grid } },
    splitNumber: gridIndex === 0 ? 5 : 2,
  });
  const option: ChartOption = {
    legend: {
      show: directions.length > 1,
      data: [...directions],
      right: shape.right,
      top: 4,
      icon: 'roundRect',
      itemWidth: 16,
      itemHeight: 3,
      backgroundColor: Colour.paper,
      borderColor: Colour.paper,
      textStyle: text,
    },
    grid: [
      { ...plot, top: TOP, height: shape.plotPixels },
      ...panels.map(({ heightPixels }, index) => ({
        ...plot,
        top:
          TOP +
          shape.plotPixels +
          BETWEEN +
          panels.slice(0, index).reduce((sum, above) => sum + above.heightPixels + BETWEEN, 0),
        height: heightPixels,
      })),
    ],
    xAxis: [xAxis(0, panels.length === 0), ...panels.map((_, index) => xAxis(index + 1, index === panels.length - 1))],
    yAxis: [
      { ...yAxis(0, 'Gbit/s'), ...axisEnd(highest / 1e9) },
      ...panels.map(({ name, logEnds }, index) => ({
        ...yAxis(index + 1, name),
        type: logEnds === undefined ? ('value' as const) : ('log' as const),
        ...logEnds,
      })),
    ],
    series: [
      ...directions.map((direction, index) =>
        throughputLine(
          samples.filter((sample) => sample.direction === direction),
          direction,
          index,
          form,
          direction === marked
            ? throughputMarks(result, {
                samples,
                endSeconds,
                lastSeconds,
                fontSize: shape.fontPixels,
                isNarrow: form === 'narrow',
              })
            : {},
        ),
      ),
      ...panels.flatMap(({ series: lines }, index) =>
        lines.map((line): LineSeriesOption => ({ ...line, xAxisIndex: index + 1, yAxisIndex: index + 1 })),
      ),
    ],
  };
  const beneath = panels.reduce((sum, panel) => sum + panel.heightPixels + BETWEEN, 0);
  const heightPixels = TOP + shape.plotPixels + AXIS + beneath;
  const label = `Throughput over time of ${result.measurementId}, ${pairOfTypes(result)}`;
  return renderSvg(`${result.measurementId}-${form}`, label, { widthPixels: shape.widthPixels, heightPixels }, option);
}

function throughputLine(
  samples: readonly Sample[],
  direction: DrivenDirection,
  index: number,
  form: ChartForm,
  marked: Pick<LineSeriesOption, 'markLine' | 'markArea'>,
): LineSeriesOption {
  const color = index === 0 ? Colour.series : Colour.secondSeries;
  return {
    type: 'line',
    name: direction,
    data: withGaps(samples),
    showSymbol: samples.length === 1,
    // This sampling keeps every dip and peak that the pixels can show.
    sampling: form === 'narrow' ? 'minmax' : undefined,
    lineStyle: { width: 1.5, color },
    itemStyle: { color },
    ...marked,
  };
}

/** Each point stands at the middle of its interval. The line is broken, never bridged, where a second is missing. */
function withGaps(samples: readonly Sample[]): [number, number | null][] {
  const broken = new Map(gaps(samples).map(({ fromSeconds, toSeconds }) => [toSeconds, (fromSeconds + toSeconds) / 2]));
  return samples.flatMap(({ startSeconds, lengthSeconds, throughputBitsPerSecond }): [number, number | null][] => {
    const gap = broken.get(startSeconds);
    const rate = throughputBitsPerSecond === undefined ? null : throughputBitsPerSecond / 1e9;
    const point: [number, number | null] = [startSeconds + lengthSeconds / 2, rate];
    return gap === undefined ? [point] : [[gap, null], point];
  });
}
