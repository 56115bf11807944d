/** Draws the marks on a throughput series: the onset, the levels, the published figures and missing seconds. */
import type { LineSeriesOption } from 'echarts/charts';
import type { Interval } from '../../maths/interval';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { drivenStatistics } from '../../model/statistics';
import type { Verdict } from '../../model/verdict';
import { seconds, threeDigits } from '../../text/format';
import { lowestLimit, publishedLimits } from '../../verdict/evidence';
import { Colour, FONT_PIXELS, TEXT_OUTLINE } from './svg';

type MarkLineData = NonNullable<NonNullable<LineSeriesOption['markLine']>['data']>;
type MarkAreaData = NonNullable<NonNullable<LineSeriesOption['markArea']>['data']>;

/** A level above this multiple of the highest value is left out, because it would flatten the series. */
export const SHOWN_ABOVE_HIGHEST = 1.6;

export interface MarkedSeries {
  readonly samples: readonly Sample[];
  readonly endSeconds: number;
  /** The end of the time axis, which includes the planned duration of a measurement that ended early. */
  readonly lastSeconds: number;
  readonly isNarrow: boolean;
}

export function levelMarks(lines: MarkLineData, areas: MarkAreaData): Pick<LineSeriesOption, 'markLine' | 'markArea'> {
  return {
    // z 1 is beneath the series (z 2), so that marks do not hide measured values. Precision -1 turns off the rounding
    // of ECharts, which would draw a level of 0.075 Gbit/s at 0.08.
    markLine: { symbol: 'none', silent: true, z: 1, precision: -1, data: lines },
    markArea: { silent: true, z: 0, data: areas },
  };
}

export function throughputMarks(
  result: MeasurementResult,
  series: MarkedSeries,
): Pick<LineSeriesOption, 'markLine' | 'markArea'> {
  return levelMarks(markedLines(result, series), markedAreas(result.verdict, series));
}

function markedLines(result: MeasurementResult, series: MarkedSeries): MarkLineData {
  const { samples, lastSeconds, isNarrow } = series;
  const { verdict } = result;
  const highest = highestBits(samples);
  const mean = drivenStatistics(result)?.throughputBitsPerSecond?.mean;
  const [first, last] = verdict?.onset ? [verdict.burst?.value, verdict.baseline?.value] : [mean, undefined];
  // The line of a late onset would cross a name at the end of the axis.
  const isLate = verdict?.onset ? isShort(lastSeconds - verdict.onset.value, series) : false;
  const isNear = (bits: number, named?: number) => named !== undefined && Math.abs(bits - named) < 0.1 * highest;
  const published = publishedLines(result, samples).map(({ bits, name, position }): MarkLineData[number] => {
    const isTaken = position === AT_END ? isLate || isNear(bits, last) : isNear(bits, first);
    return {
      yAxis: bits / 1e9,
      lineStyle: { color: Colour.published, width: 1, type: [2, 4] },
      label: {
        // Two names at the same height do not fit beside each other in a narrow chart.
        show: !isNarrow || position === AT_END || !isNear(bits, last),
        ...labelOf(`${name} ${threeDigits(bits / 1e9)}`, isTaken ? AT_MIDDLE : position, Colour.published),
        fontWeight: 'normal',
      },
    };
  });
  return [...published, ...levelLines(verdict, mean, 1e9, series)];
}

/** Returns the levels around an onset, or the mean if there is no onset, in units of `unitSize`. */
export function levelLines(
  verdict: Pick<Verdict, 'burst' | 'baseline' | 'onset'> | null | undefined,
  mean: number | undefined,
  unitSize: number,
  series: Omit<MarkedSeries, 'samples'>,
): MarkLineData {
  if (verdict?.onset) return dropLines(verdict.onset.value, verdict, unitSize, series);
  return mean === undefined ? [] : [level(0, series.endSeconds, mean / unitSize, 'mean', Colour.burst, AT_START)];
}

/** The share of the plot's width that the name and value of a level take. */
const LEVEL_NAME_SHARE = { wide: 0.14, narrow: 0.34 } as const;

/** Whether a line of this length is too short for the name of a level above it. */
const isShort = (lengthSeconds: number, { lastSeconds, isNarrow }: Pick<MarkedSeries, 'lastSeconds' | 'isNarrow'>) =>
  lengthSeconds / lastSeconds < LEVEL_NAME_SHARE[isNarrow ? 'narrow' : 'wide'];

/**
 * Returns the onset and the levels before and after it, in units of `unitSize`. A level is named above its line or,
 * where that is too short, on the other side of the onset, where the chart is empty at this height.
 */
function dropLines(
  onset: number,
  { burst, baseline }: Pick<Verdict, 'burst' | 'baseline'>,
  unitSize: number,
  series: Omit<MarkedSeries, 'samples'>,
): MarkLineData {
  const { endSeconds, lastSeconds } = series;
  const line = (from: number, to: number, of: Interval | null, name: 'burst' | 'baseline', position: LevelPosition) =>
    of === null ? [] : [level(from, to, of.value / unitSize, name, Colour[name], position)];
  return [
    ...line(0, onset, burst, 'burst', isShort(onset, series) ? 'end' : AT_START),
    ...line(onset, endSeconds, baseline, 'baseline', isShort(endSeconds - onset, series) ? 'start' : AT_END),
    {
      xAxis: onset,
      lineStyle: { color: Colour.onset, width: 1.5, type: [5, 3] },
      label: {
        ...labelOf(`onset ${seconds(onset)} s`, 'end', Colour.onset),
        align: sideOf(onset / lastSeconds, series.isNarrow ? 0.15 : 0.1),
      },
    },
  ];
}

/** Near an end of the axis, a label is aligned towards the inside, because the chart would cut it off. */
const sideOf = (share: number, near: number) => (share < near ? 'left' : share > 1 - near ? 'right' : 'center');

const AT_START = 'insideStartTop';
const AT_END = 'insideEndTop';
const AT_MIDDLE = 'insideMiddleTop';
type LevelPosition = typeof AT_START | typeof AT_MIDDLE | typeof AT_END | 'start' | 'end';

const labelOf = (text: string, position: LevelPosition, color: string) => ({
  formatter: text,
  position,
  color,
  fontSize: FONT_PIXELS,
  fontWeight: 'bold' as const,
  ...TEXT_OUTLINE,
});

/** @param value in the unit of the axis */
function level(
  fromSeconds: number,
  toSeconds: number,
  value: number,
  name: string,
  color: string,
  position: LevelPosition,
): MarkLineData[number] {
  return [
    {
      coord: [fromSeconds, value],
      lineStyle: { color, width: 2, type: [7, 3] },
      label: labelOf(`${name} ${threeDigits(value)}`, position, color),
    },
    { coord: [toSeconds, value] },
  ];
}

export function markedAreas(
  verdict: Pick<Verdict, 'onset'> | null | undefined,
  { samples, endSeconds, lastSeconds }: Omit<MarkedSeries, 'isNarrow'>,
): MarkAreaData {
  const area = (from: number, to: number, color: string, text?: string): MarkAreaData[number] => [
    {
      xAxis: from,
      itemStyle: { color },
      label: { show: text !== undefined, formatter: text, position: 'inside', color: Colour.muted },
    },
    { xAxis: to },
  ];
  return [
    ...(verdict?.onset ? [area(verdict.onset.low, verdict.onset.high, Colour.onsetBand)] : []),
    ...gaps(samples).map(({ fromSeconds, toSeconds }) => area(fromSeconds, toSeconds, Colour.missing)),
    ...(lastSeconds - endSeconds >= 2 ? [area(endSeconds, lastSeconds, Colour.missing, 'not measured')] : []),
  ];
}

/** Returns the gaps without samples between the first and the last sample. */
export function gaps(samples: readonly Sample[]): { fromSeconds: number; toSeconds: number }[] {
  return samples.flatMap(({ direction, startSeconds, lengthSeconds }, index) => {
    const previous = samples[index - 1];
    if (previous?.direction !== direction) return [];
    const fromSeconds = previous.startSeconds + previous.lengthSeconds;
    return startSeconds - fromSeconds > lengthSeconds / 2 ? [{ fromSeconds, toSeconds: startSeconds }] : [];
  });
}

interface PublishedLine {
  readonly bits: number;
  readonly name: string;
  readonly position: LevelPosition;
}

/** Returns the lower published figure of the two hosts; undefined unless both are known. */
function publishedBottleneck(
  { publishedClient, publishedServer }: MeasurementResult,
  figure: 'baselineBitsPerSecond' | 'peakBitsPerSecond',
): number | undefined {
  const limits = publishedLimits({ sender: publishedClient, receiver: publishedServer }, figure);
  return limits.length === 2 ? lowestLimit(limits)?.bitsPerSecond : undefined;
}

export function publishedLines(result: MeasurementResult, samples: readonly Sample[]): PublishedLine[] {
  const highestShown = highestBits(samples) * SHOWN_ABOVE_HIGHEST;
  const baseline = publishedBottleneck(result, 'baselineBitsPerSecond');
  const peak = publishedBottleneck(result, 'peakBitsPerSecond');
  const figures: readonly (readonly [bits: number | undefined, name: string, position: LevelPosition])[] =
    baseline === peak
      ? [[peak, 'published', AT_END]]
      : [
          [baseline, 'published baseline', AT_START],
          [peak, 'published peak', AT_END],
        ];
  return figures.flatMap(([bits, name, position]) =>
    bits === undefined || bits > highestShown ? [] : [{ bits, name, position }],
  );
}

export function highestBits(samples: readonly Sample[]): number {
  return samples.reduce((highest, { throughputBitsPerSecond = 0 }) => Math.max(highest, throughputBitsPerSecond), 0);
}
