/**
 * Throughput over time, with the onset, the levels and the published figures marked. Beneath it, on the same time axis,
 * stand the allowance counters, if any grew, and the round trips of the latency probe, if there was one.
 */
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { pairOfTypes } from '../wording';
import { axisEnd, nameAboveAxis, tickLabel } from './axis';
import { panelsBeneath, type Panel } from './panels';
import { Colour, renderSvg, type ChartForm, type ChartOption } from './svg';
import { gaps, highestBits, publishedLines, throughputMarks } from './throughput-marks';
import { largest } from '../../maths/extremes';

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 250, left: 54, right: 18 },
  narrow: { widthPixels: 400, plotPixels: 210, left: 44, right: 10 },
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
  const { widthPixels, plotPixels, left, right } = FORMS[form];
  const endSeconds = largest(samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  // A measurement that stopped because it had seen enough is whole; seconds are missing only after one that ended
  // early.
  const isWhole = result.status === 'complete' && result.stopAfterThrottledSeconds !== undefined;
  const lastSeconds = isWhole ? Math.ceil(endSeconds) : Math.max(endSeconds, result.durationSeconds);
  const directions = (['forward', 'reverse'] as const).filter((each) =>
    samples.some((sample) => sample.direction === each),
  );
  const markedDirection = result.verdict?.direction ?? directions[0];
  const marks = throughputMarks(result, { samples, endSeconds, lastSeconds, isNarrow: form === 'narrow' });
  const highest = largest([highestBits(samples), ...publishedLines(result, samples).map(({ bits }) => bits)]);
  const throughputPanel: Panel = {
    name: 'Gbit/s',
    heightPixels: plotPixels,
    axis: axisEnd(highest / 1e9),
    series: directions.map((direction, index) => {
      const ofDirection = samples.filter((sample) => sample.direction === direction);
      const color = index === 0 ? Colour.series : Colour.secondSeries;
      return {
        type: 'line',
        name: direction,
        data: withGaps(ofDirection),
        showSymbol: ofDirection.length === 1,
        // This sampling keeps every dip and peak that the pixels can show.
        sampling: form === 'narrow' ? 'minmax' : undefined,
        lineStyle: { width: 1.5, color },
        itemStyle: { color },
        ...(direction === markedDirection ? marks : {}),
      };
    }),
  };
  const panels = [throughputPanel, ...panelsBeneath(series, form)];
  const topOf = (index: number) =>
    panels.slice(0, index).reduce((top, above) => top + above.heightPixels + BETWEEN, TOP);
  const option: ChartOption = {
    legend: {
      show: directions.length > 1,
      data: directions,
      right,
      top: 4,
      icon: 'roundRect',
      itemWidth: 16,
      itemHeight: 3,
      textStyle: { color: Colour.muted },
    },
    // All plots have exactly this width, so that their time axes are aligned.
    grid: panels.map(({ heightPixels }, index) => ({
      left,
      right,
      outerBoundsMode: 'none',
      top: topOf(index),
      height: heightPixels,
    })),
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
        axisLabel: { show: isLowest, hideOverlap: true, showMaxLabel: true },
        axisTick: { show: isLowest },
        splitLine: { show: false },
      };
    }),
    yAxis: panels.map(({ name, axis }, gridIndex) => ({
      type: 'value',
      gridIndex,
      min: 0,
      name,
      nameTextStyle: nameAboveAxis(left),
      nameGap: gridIndex === 0 ? 14 : 8,
      axisLabel: { hideOverlap: true, formatter: tickLabel },
      splitNumber: gridIndex === 0 ? 5 : 2,
      ...axis,
    })),
    series: panels.flatMap((panel, index) =>
      panel.series.map((line) => ({ ...line, xAxisIndex: index, yAxisIndex: index })),
    ),
  };
  const heightPixels = topOf(panels.length) - BETWEEN + AXIS;
  const label = `Throughput over time of ${result.measurementId}, ${pairOfTypes(result)}`;
  return renderSvg(`${result.measurementId}-${form}`, label, { widthPixels, heightPixels }, option);
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
