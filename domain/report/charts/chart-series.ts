/** Defines the lines of a measurement's chart, both for the drawn chart and for the page's script. */
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import type { ChartSeries, SeriesLine } from '../interactive/series-codec';
import { LARGEST, MEDIAN, thinned, type Stand, type TimePoint } from './downsampling';
import { gaps } from './throughput-marks';

/** One figure of a series of samples. */
export interface MeasuredLine {
  readonly name: string;
  readonly samples: readonly Sample[];
  readonly valueOf: (sample: Sample) => number | undefined;
}

/** A line of a plot beneath the main one, where long series are thinned. */
export interface LineBeneath extends MeasuredLine {
  readonly unit: 'packets/s' | 'µs';
  /** Chooses the value that represents several seconds. */
  readonly stand: Stand;
}

export function samplesOf(series: readonly Sample[], metric: Sample['metric']): Sample[] {
  return series.filter((sample) => sample.metric === metric && sample.stream === 'sum');
}

/** A line for each driven direction, in Gbit/s. */
export function throughputLines(series: readonly Sample[]): MeasuredLine[] {
  const all = samplesOf(series, 'throughput');
  return (['forward', 'reverse'] as const).flatMap((direction) => {
    const samples = all.filter((sample) => sample.direction === direction);
    return samples.length === 0 ? [] : [{ name: direction, samples, valueOf: gigabits }];
  });
}

const gigabits = ({ throughputBitsPerSecond: bits }: Sample) => bits && bits / 1e9;

/** The line of packet rates, in thousands per second. */
export function packetLine(series: readonly Sample[]): MeasuredLine {
  return { name: 'packets', samples: samplesOf(series, 'packets'), valueOf: thousandPackets };
}

const thousandPackets = ({ packetsPerSecond: packets }: Sample) => packets && packets / 1e3;

export function roundTripLines(series: readonly Sample[]): Readonly<Record<'median' | 'longest', LineBeneath>> {
  const of = { samples: samplesOf(series, 'round_trip'), unit: 'µs' } as const;
  return {
    median: { ...of, name: 'median', stand: MEDIAN, valueOf: ({ rttMedianMicros }) => rttMedianMicros },
    longest: { ...of, name: 'longest', stand: LARGEST, valueOf: ({ rttMaxMicros }) => rttMaxMicros },
  };
}

const COUNTERS = [
  ['bwInAllowanceExceeded', 'bw in'],
  ['bwOutAllowanceExceeded', 'bw out'],
  ['ppsAllowanceExceeded', 'pps'],
  ['conntrackAllowanceExceeded', 'conntrack'],
  ['linklocalAllowanceExceeded', 'link-local'],
] as const;

export interface AllowanceLine extends LineBeneath {
  readonly totalPackets: number;
}

/** Returns a line for each counter that grew, named like `bw out (client)`. Others are mentioned only in the text. */
export function allowanceLines(series: readonly Sample[]): AllowanceLine[] {
  const all = allowanceSamples(series);
  return (['client', 'server'] as const).flatMap((hostRole) =>
    COUNTERS.flatMap(([key, word]) => {
      const samples = all.filter((sample) => sample.hostRole === hostRole && sample[key] !== undefined);
      const totalPackets = samples.reduce((sum, { [key]: packets = 0 }) => sum + packets, 0);
      const name = `${word} (${hostRole})`;
      const line = { name, unit: 'packets/s', samples, valueOf: (sample: Sample) => sample[key] } as const;
      return totalPackets > 0 ? [{ ...line, stand: LARGEST, totalPackets }] : [];
    }),
  );
}

/** These samples have no `sum` stream, because the counters belong to a host. */
const allowanceSamples = (series: readonly Sample[]) => series.filter(({ metric }) => metric === 'allowance');

export function hasAllowanceCounters(series: readonly Sample[]): boolean {
  return allowanceSamples(series).length > 0;
}

/** Returns the points of a line; each is at the middle of its interval. */
export function pointsOf({ samples, valueOf }: MeasuredLine): TimePoint[] {
  return samples.map((sample) => [sample.startSeconds + sample.lengthSeconds / 2, valueOf(sample) ?? null]);
}

/** Returns the points of a line with a null at each gap, which breaks the drawn line. */
export function brokenPointsOf(line: MeasuredLine): TimePoint[] {
  const missing = gaps(line.samples);
  const broken = new Map(missing.map(({ fromSeconds, toSeconds }) => [toSeconds, (fromSeconds + toSeconds) / 2]));
  const points = pointsOf(line);
  return line.samples.flatMap(({ startSeconds }, index): TimePoint[] => {
    const gap = broken.get(startSeconds);
    const point = points.slice(index, index + 1);
    return gap === undefined ? point : [[gap, null], ...point];
  });
}

/** The most points of a line beneath: one per 5 s in half an hour. The files beside the report have every second. */
const POINTS_BENEATH = 360;

/** @returns undefined where there is nothing to draw */
export function chartSeries(result: MeasurementResult, series: readonly Sample[]): ChartSeries | undefined {
  const { median, longest } = roundTripLines(series);
  const lines = [
    ...throughputLines(series).map((line) => seriesLine(`throughput ${line.name}`, 'Gbit/s', brokenPointsOf(line))),
    seriesLine('packets', 'thousand/s', brokenPointsOf(packetLine(series))),
    ...allowanceLines(series).map((line) => seriesLineBeneath(`shaped, ${line.name}`, line, pointsOf(line))),
    ...[median, longest].map((line) => seriesLineBeneath(`round trip, ${line.name}`, line, brokenPointsOf(line))),
  ].filter(({ values }) => values.some((value) => value !== null));
  const onset = (result.verdict ?? result.packetVerdict)?.onset;
  return lines.length === 0 ? undefined : { onsetSeconds: onset?.value, lines };
}

function seriesLine(
  name: string,
  unit: string,
  points: readonly TimePoint[],
  precision: SeriesLine['precision'] = 'linear',
): SeriesLine {
  return { name, unit, precision, seconds: points.map(([at]) => at), values: points.map(([, value]) => value) };
}

/** Thins a long series, and adds to its name what each value represents: `(largest of 5 s)`. */
function seriesLineBeneath(name: string, { unit, stand }: LineBeneath, points: readonly TimePoint[]): SeriesLine {
  const shown = thinned(points, stand, POINTS_BENEATH);
  const each = Math.round(((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)) / POINTS_BENEATH);
  const of = stand === LARGEST ? 'largest' : 'median';
  const whole = shown.length < points.length ? `${name} (${of} of ${each} s)` : name;
  return seriesLine(whole, unit, shown, unit === 'µs' ? 'ratio' : 'count');
}
