/**
 * The marks on a throughput series: the onset with its interval, the levels, the published figures and what is missing.
 */
import type { LineSeriesOption } from 'echarts/charts';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { seconds, threeDigits } from '../../text/format';
import { drivenStatistics } from '../verdict-table';
import { lowestLimit, publishedLimits } from '../../verdict/published-limits';
import { Colour } from './svg';

type MarkLineData = NonNullable<NonNullable<LineSeriesOption['markLine']>['data']>;
type MarkedLine = Extract<MarkLineData[number], readonly unknown[]>;

/** A published figure further above what was measured would only flatten the series. The table has it anyway. */
const SHOWN_ABOVE_HIGHEST = 1.6;

export interface MarkedSeries {
  readonly samples: readonly Sample[];
  /** The end of the last sample. */
  readonly endSeconds: number;
  /** The end of the time axis: that of the planned duration, where the measurement ended early. */
  readonly lastSeconds: number;
  readonly fontSize: number;
  readonly isNarrow: boolean;
}

export function throughputMarks(
  result: MeasurementResult,
  { samples, endSeconds, lastSeconds, fontSize, isNarrow }: MarkedSeries,
): Pick<LineSeriesOption, 'markLine' | 'markArea'> {
  const { verdict } = result;
  const onset = verdict?.onset?.value;
  const label = (text: string, position: 'insideStartTop' | 'insideEndTop' | 'end', color: string) => ({
    formatter: text,
    position,
    color,
    fontSize,
    fontWeight: 'bold' as const,
    textBorderColor: Colour.paper,
    textBorderWidth: 3,
  });
  const level = (
    fromSeconds: number,
    toSeconds: number,
    bits: number,
    name: string,
    color: string,
    atStart: boolean,
  ) => {
    const gigabits = bits / 1e9;
    const text = `${name} ${threeDigits(gigabits)}`;
    const line: MarkedLine = [
      {
        coord: [fromSeconds, gigabits],
        lineStyle: { color, width: 2, type: [7, 3] },
        label: label(text, atStart ? 'insideStartTop' : 'insideEndTop', color),
      },
      { coord: [toSeconds, gigabits] },
    ];
    return line;
  };
  const lines: MarkLineData = [];

  for (const { bits, name, atStart } of publishedLines(result, samples)) {
    // In a narrow chart two names at the same height do not fit beside each other.
    const isNamed =
      !isNarrow || !atStart || Math.abs(bits - (verdict?.baseline?.value ?? 0)) > 0.1 * highestBits(samples);
    lines.push({
      yAxis: bits / 1e9,
      lineStyle: { color: Colour.published, width: 1, type: [2, 4] },
      label: {
        show: isNamed,
        ...label(`${name} ${threeDigits(bits / 1e9)}`, atStart ? 'insideStartTop' : 'insideEndTop', Colour.published),
        fontWeight: 'normal',
      },
    });
  }
  if (onset !== undefined && verdict) {
    if (verdict.burst !== null) {
      lines.push(level(0, onset, verdict.burst.value, 'burst', Colour.burst, true));
    }
    if (verdict.baseline !== null) {
      lines.push(level(onset, endSeconds, verdict.baseline.value, 'baseline', Colour.baseline, false));
    }
    lines.push({
      xAxis: onset,
      lineStyle: { color: Colour.onset, width: 1.5, type: [5, 3] },
      label: label(`onset ${seconds(onset)} s`, 'end', Colour.onset),
    });
  } else {
    const mean = drivenStatistics(result)?.throughputBitsPerSecond?.mean;
    if (mean !== undefined) lines.push(level(0, endSeconds, mean, 'mean', Colour.burst, true));
  }

  const areas: NonNullable<NonNullable<LineSeriesOption['markArea']>['data']> = [];
  if (verdict?.onset) {
    areas.push([{ xAxis: verdict.onset.low, itemStyle: { color: Colour.onsetBand } }, { xAxis: verdict.onset.high }]);
  }
  for (const { fromSeconds, toSeconds } of gaps(samples)) {
    areas.push([{ xAxis: fromSeconds, itemStyle: { color: Colour.missing } }, { xAxis: toSeconds }]);
  }
  if (lastSeconds - endSeconds >= 2) {
    areas.push([
      {
        xAxis: endSeconds,
        itemStyle: { color: Colour.missing },
        label: { show: true, formatter: 'not measured', position: 'inside', color: Colour.muted, fontSize },
      },
      { xAxis: lastSeconds },
    ]);
  }
  return {
    // z 1 is beneath the series (z 2), so that no mark hides a measured value.
    // Without precision -1 ECharts rounds a level to two digits, and draws 0.075 Gbit/s at 0.08.
    markLine: { symbol: 'none', silent: true, z: 1, precision: -1, data: lines },
    markArea: { silent: true, z: 0, data: areas },
  };
}

/** The times without a sample, between the first sample and the last. */
export function gaps(samples: readonly Sample[]): { fromSeconds: number; toSeconds: number }[] {
  const found: { fromSeconds: number; toSeconds: number }[] = [];
  for (const [index, sample] of samples.entries()) {
    const previous = samples[index - 1];
    if (previous?.direction !== sample.direction) continue;
    const fromSeconds = previous.startSeconds + previous.lengthSeconds;
    if (sample.startSeconds - fromSeconds > sample.lengthSeconds / 2)
      found.push({ fromSeconds, toSeconds: sample.startSeconds });
  }
  return found;
}

interface PublishedLine {
  readonly bits: number;
  readonly name: string;
  readonly atStart: boolean;
}

/** The lower of the two ends' published figures. Unless both are known, the lower one could be the missing one. */
function publishedBottleneck(
  { publishedClient, publishedServer }: MeasurementResult,
  figure: 'baselineBitsPerSecond' | 'peakBitsPerSecond',
): number | undefined {
  const limits = publishedLimits({ sender: publishedClient, receiver: publishedServer }, figure);
  return limits.length === 2 ? lowestLimit(limits)?.bitsPerSecond : undefined;
}

/** The published figures that the chart shows. */
export function publishedLines(result: MeasurementResult, samples: readonly Sample[]): PublishedLine[] {
  const highest = highestBits(samples);
  const baseline = publishedBottleneck(result, 'baselineBitsPerSecond');
  const peak = publishedBottleneck(result, 'peakBitsPerSecond');
  const lines: PublishedLine[] =
    baseline !== undefined && baseline === peak
      ? [{ bits: peak, name: 'published', atStart: false }]
      : [
          ...(baseline === undefined ? [] : [{ bits: baseline, name: 'published baseline', atStart: true }]),
          ...(peak === undefined ? [] : [{ bits: peak, name: 'published peak', atStart: false }]),
        ];
  return lines.filter(({ bits }) => bits <= highest * SHOWN_ABOVE_HIGHEST);
}

export function highestBits(samples: readonly Sample[]): number {
  return samples.reduce((highest, { throughputBitsPerSecond = 0 }) => Math.max(highest, throughputBitsPerSecond), 0);
}
