/** The series that a chart shows, for the page's script. */
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { allowanceSeries } from '../charts/panels';
import { LARGEST, MEDIAN, thinned, type Stand, type TimePoint } from '../charts/downsampling';
import { withGaps } from '../charts/time-chart';
import type { ChartSeries, SeriesLine } from './series-codec';

/** The counters and the round trips of half an hour have a value for each five seconds; the files have every second. */
const POINTS_BENEATH = 360;

/** @returns undefined where there is nothing to draw */
export function chartSeries(result: MeasurementResult, samples: readonly Sample[]): ChartSeries | undefined {
  const lines = [
    ...(['forward', 'reverse'] as const).map((direction) =>
      line(`throughput ${direction}`, 'Gbit/s', withGaps(ofMetric(samples, 'throughput', direction), gigabits)),
    ),
    line('packets', 'thousand/s', withGaps(ofMetric(samples, 'packets'), thousandPackets)),
    ...allowanceSeries(samples).map(({ name, points }) =>
      lineBeneath(`shaped, ${name}`, 'packets/s', { points: points.map(([...point]) => point), stand: LARGEST }),
    ),
    roundTrips(samples, 'median', ({ rttMedianMicros }) => rttMedianMicros, MEDIAN),
    roundTrips(samples, 'longest', ({ rttMaxMicros }) => rttMaxMicros, LARGEST),
  ].filter(({ values }) => values.some((value) => value !== null));
  const onset = (result.verdict ?? result.packetVerdict)?.onset;
  return lines.length === 0 ? undefined : { onsetSeconds: onset?.value, lines };
}

const gigabits = ({ throughputBitsPerSecond: bits }: Sample) => bits && bits / 1e9;
const thousandPackets = ({ packetsPerSecond: packets }: Sample) => packets && packets / 1e3;

function ofMetric(samples: readonly Sample[], metric: Sample['metric'], direction?: Sample['direction']) {
  return samples.filter(
    (sample) =>
      sample.metric === metric &&
      sample.stream === 'sum' &&
      (direction === undefined || sample.direction === direction),
  );
}

function line(name: string, unit: string, points: readonly TimePoint[]): SeriesLine {
  return { name, unit, precision: 'linear', ...columnsOf(points) };
}

const columnsOf = (points: readonly TimePoint[]) => ({
  seconds: points.map(([seconds]) => seconds),
  values: points.map(([, value]) => value),
});

function roundTrips(
  samples: readonly Sample[],
  which: 'median' | 'longest',
  valueOf: (sample: Sample) => number | undefined,
  stand: Stand,
): SeriesLine {
  const points = withGaps(ofMetric(samples, 'round_trip'), valueOf);
  return lineBeneath(`round trip, ${which}`, 'µs', { points, stand });
}

interface Beneath {
  readonly points: readonly TimePoint[];
  readonly stand: Stand;
}

/** Of a long series, what stands for several seconds, which its name then says. */
function lineBeneath(name: string, unit: 'packets/s' | 'µs', { points, stand }: Beneath): SeriesLine {
  const shown = thinned(points, stand, POINTS_BENEATH);
  const each = Math.round(((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)) / POINTS_BENEATH);
  const of = stand === LARGEST ? 'largest' : 'median';
  return {
    name: shown.length < points.length ? `${name} (${of} of ${each} s)` : name,
    unit,
    precision: unit === 'µs' ? 'ratio' : 'count',
    ...columnsOf(shown),
  };
}
