/** What is drawn over a throughput series: the onset with its interval, the levels, the published figures, what is missing. */
import type { LineSeriesOption } from 'echarts/charts';
import type { MeasurementResult, Sample } from '../../measurement/measurement';
import { seconds, threeDigits } from '../format';
import { drivenStatistics } from '../verdict-table';
import { publishedLimit } from '../wording';
import { Colour } from './svg';

type MarkLineData = NonNullable<NonNullable<LineSeriesOption['markLine']>['data']>;
type MarkedLine = Extract<MarkLineData[number], readonly unknown[]>;

/** Published figures far above what was measured would only press the series flat; the table has them. */
const SHOWN_ABOVE_HIGHEST = 1.6;

export interface MarkedSeries {
  readonly samples: readonly Sample[];
  /** End of the last sample, and of what was planned. */
  readonly endSeconds: number;
  readonly lastSeconds: number;
  readonly fontSize: number;
}

export function throughputMarks(
  result: MeasurementResult,
  { samples, endSeconds, lastSeconds, fontSize }: MarkedSeries,
): Pick<LineSeriesOption, 'markLine' | 'markArea'> {
  const { verdict } = result;
  const onset = verdict?.onsetSeconds ?? undefined;
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
        lineStyle: { color, width: 2, type: 'solid' },
        label: label(text, atStart ? 'insideStartTop' : 'insideEndTop', color),
      },
      { coord: [toSeconds, gigabits] },
    ];
    return line;
  };
  const lines: MarkLineData = [];
  const highest = Math.max(...samples.map((sample) => sample.throughputBitsPerSecond ?? 0));

  for (const { bits, name, atStart } of publishedLines(result)) {
    if (bits > highest * SHOWN_ABOVE_HIGHEST) continue;
    lines.push({
      yAxis: bits / 1e9,
      lineStyle: { color: Colour.published, width: 1, type: [2, 4] },
      label: {
        ...label(`${name} ${threeDigits(bits / 1e9)}`, atStart ? 'insideStartTop' : 'insideEndTop', Colour.published),
        fontWeight: 'normal',
      },
    });
  }
  if (onset !== undefined && verdict) {
    if (verdict.burstBitsPerSecond !== null) {
      lines.push(level(0, onset, verdict.burstBitsPerSecond, 'burst', Colour.burst, true));
    }
    if (verdict.baselineBitsPerSecond !== null) {
      lines.push(level(onset, endSeconds, verdict.baselineBitsPerSecond, 'baseline', Colour.baseline, false));
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
  if (verdict && verdict.onsetLowSeconds !== null && verdict.onsetHighSeconds !== null) {
    areas.push([
      { xAxis: verdict.onsetLowSeconds, itemStyle: { color: Colour.onsetBand } },
      { xAxis: verdict.onsetHighSeconds },
    ]);
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
    markLine: { symbol: 'none', silent: true, data: lines },
    markArea: { silent: true, data: areas },
  };
}

function publishedLines(result: MeasurementResult) {
  const baseline = publishedLimit(result, 'baselineBitsPerSecond');
  const peak = publishedLimit(result, 'peakBitsPerSecond');
  if (baseline !== undefined && baseline === peak) return [{ bits: peak, name: 'published', atStart: false }];
  return [
    ...(baseline === undefined ? [] : [{ bits: baseline, name: 'published baseline', atStart: true }]),
    ...(peak === undefined ? [] : [{ bits: peak, name: 'published peak', atStart: false }]),
  ];
}
