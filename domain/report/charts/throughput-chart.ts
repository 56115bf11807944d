/** Throughput over time, with the onset, the levels and the published figures marked; allowance counters beneath, if any grew. */
import type { LineSeriesOption } from 'echarts/charts';
import type { DrivenDirection, MeasurementResult, Sample } from '../../measurement/measurement';
import { pairOfTypes } from '../wording';
import { allowanceSeries } from './allowance';
import { Colour, renderSvg } from './svg';
import type { ChartOption } from './svg';
import { gaps, highestBits, publishedLines, throughputMarks } from './throughput-marks';

/** A chart is drawn twice, because text in a scaled-down SVG could not be read on a phone. */
export type ChartForm = 'wide' | 'narrow';

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 250, allowancePixels: 64, fontPixels: 12, left: 54, right: 18 },
  narrow: { widthPixels: 400, plotPixels: 210, allowancePixels: 56, fontPixels: 12, left: 44, right: 10 },
} as const;

const TOP = 40;
const AXIS = 46;
const BETWEEN = 34;

/** @returns undefined where there is not one sample to draw */
export function throughputChart(
  result: MeasurementResult,
  series: readonly Sample[],
  form: ChartForm,
): string | undefined {
  const samples = series.filter(({ metric, stream }) => metric === 'throughput' && stream === 'sum');
  if (samples.length === 0) return undefined;
  const shape = FORMS[form];
  const allowance = allowanceSeries(series);
  const withAllowance = allowance.length > 0;
  const endSeconds = Math.max(...samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  const lastSeconds = Math.max(endSeconds, result.durationSeconds);
  const directions = (['forward', 'reverse'] as const).filter((each) => samples.some((it) => it.direction === each));
  const marked = result.verdict?.direction ?? directions[0]!;
  const highest = Math.max(highestBits(samples), ...publishedLines(result, samples).map(({ bits }) => bits));
  // Both plots keep exactly this width, so that a second stands above the same second.
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
      ...(withAllowance ? [{ ...plot, top: TOP + shape.plotPixels + BETWEEN, height: shape.allowancePixels }] : []),
    ],
    xAxis: [xAxis(0, !withAllowance), ...(withAllowance ? [xAxis(1, true)] : [])],
    yAxis: [
      { ...yAxis(0, 'Gbit/s'), ...axisEnd(highest / 1e9) },
      ...(withAllowance
        ? [yAxis(1, `packets shaped in the second: ${allowance.map(({ name }) => name).join(', ')}`)]
        : []),
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
      ...allowance.map(({ points }, index): LineSeriesOption => {
        const color = Colour.palette[(index + 2) % Colour.palette.length]!;
        return {
          type: 'line',
          xAxisIndex: 1,
          yAxisIndex: 1,
          data: [...points],
          step: 'middle',
          showSymbol: false,
          lineStyle: { width: 1, color },
          areaStyle: { color, opacity: 0.35 },
        };
      }),
    ],
  };
  const heightPixels = TOP + shape.plotPixels + AXIS + (withAllowance ? BETWEEN + shape.allowancePixels : 0);
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
    // Keeps every dip and peak that the pixels can show.
    ...(form === 'narrow' ? { sampling: 'minmax' as const } : {}),
    lineStyle: { width: 1.5, color },
    itemStyle: { color },
    ...marked,
  };
}

/** Points at the middle of their interval; where a second is missing the line is broken, never bridged. */
function withGaps(samples: readonly Sample[]): [number, number | null][] {
  const broken = new Map(gaps(samples).map(({ fromSeconds, toSeconds }) => [toSeconds, (fromSeconds + toSeconds) / 2]));
  return samples.flatMap(({ startSeconds, lengthSeconds, throughputBitsPerSecond }): [number, number | null][] => {
    const gap = broken.get(startSeconds);
    const rate = throughputBitsPerSecond === undefined ? null : throughputBitsPerSecond / 1e9;
    const point: [number, number | null] = [startSeconds + lengthSeconds / 2, rate];
    return gap === undefined ? [point] : [[gap, null], point];
  });
}

/** The least round number above everything drawn, with room for a label, and the distance of its ticks. */
export function axisEnd(highest: number): { readonly max: number; readonly interval: number } {
  const wanted = Math.max(highest, 1e-6) * 1.06;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const [mantissa, parts] = AXIS_ENDS.find(([end]) => end * power >= wanted) ?? [10, 5];
  return { max: mantissa * power, interval: (mantissa * power) / parts };
}

/** Ticks are sums of intervals, which leave 0.30000000000000004; ten thousand packets are 10k, to fit beside the axis. */
function tickLabel(value: number): string {
  return value >= 10_000 ? `${Number((value / 1000).toPrecision(6))}k` : String(Number(value.toPrecision(6)));
}

const AXIS_ENDS = [
  [1, 5],
  [1.2, 6],
  [1.5, 5],
  [2, 4],
  [2.5, 5],
  [3, 6],
  [4, 4],
  [5, 5],
  [6, 6],
  [8, 4],
  [10, 5],
] as const;
