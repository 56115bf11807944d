/** The lines that the chart of a measurement shows: one spec, for what is drawn and for the page's script. */
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

/** A line of one of the plots beneath the series itself, which has fewer points. */
export interface LineBeneath extends MeasuredLine {
  readonly unit: 'packets/s' | 'µs';
  /** What stands for the values of several seconds. */
  readonly stand: Stand;
}

export function samplesOf(series: readonly Sample[], metric: Sample['metric']): Sample[] {
  return series.filter((sample) => sample.metric === metric && sample.stream === 'sum');
}

/** Of each direction that was driven, in Gbit/s. */
export function throughputLines(series: readonly Sample[]): MeasuredLine[] {
  const all = samplesOf(series, 'throughput');
  return (['forward', 'reverse'] as const).flatMap((direction) => {
    const samples = all.filter((sample) => sample.direction === direction);
    return samples.length === 0 ? [] : [{ name: direction, samples, valueOf: gigabits }];
  });
}

const gigabits = ({ throughputBitsPerSecond: bits }: Sample) => bits && bits / 1e9;

/** In thousands per second. */
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

/** Only the counters that grew, as `bw out (client)`; a sentence says better than a chart that one stood still. */
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

/** Counters are of a host, and not of streams. */
const allowanceSamples = (series: readonly Sample[]) => series.filter(({ metric }) => metric === 'allowance');

export function hasAllowanceCounters(series: readonly Sample[]): boolean {
  return allowanceSamples(series).length > 0;
}

/** Each point stands at the middle of its interval. */
export function pointsOf({ samples, valueOf }: MeasuredLine): TimePoint[] {
  return samples.map((sample) => [sample.startSeconds + sample.lengthSeconds / 2, valueOf(sample) ?? null]);
}

/** The line is broken, never bridged, where a second is missing. */
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

/** The counters and the round trips of half an hour have a value for each five seconds; the files have every second. */
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

/** Of a long series, what stands for several seconds, which its name then says. */
function seriesLineBeneath(name: string, { unit, stand }: LineBeneath, points: readonly TimePoint[]): SeriesLine {
  const shown = thinned(points, stand, POINTS_BENEATH);
  const each = Math.round(((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)) / POINTS_BENEATH);
  const of = stand === LARGEST ? 'largest' : 'median';
  const whole = shown.length < points.length ? `${name} (${of} of ${each} s)` : name;
  return seriesLine(whole, unit, shown, unit === 'µs' ? 'ratio' : 'count');
}
