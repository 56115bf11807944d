/** The series that a chart shows, for the page's script. */
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { allowanceSeries } from '../charts/panels';
import { gaps } from '../charts/throughput-marks';
import type { ChartSeries, SeriesLine } from './series-codec';

/** @returns undefined where there is nothing to draw */
export function chartSeries(result: MeasurementResult, samples: readonly Sample[]): ChartSeries | undefined {
  const lines = [
    ...(['forward', 'reverse'] as const).map((direction) =>
      line(`throughput ${direction}`, 'Gbit/s', ofMetric(samples, 'throughput', direction), (sample) =>
        inUnit(sample.throughputBitsPerSecond, 1e9),
      ),
    ),
    line('packets', 'thousand/s', ofMetric(samples, 'packets'), (sample) => inUnit(sample.packetsPerSecond, 1e3)),
    ...allowanceSeries(samples).map(({ name, points }) => ({
      name: `shaped, ${name}`,
      unit: 'packets/s',
      seconds: points.map(([seconds]) => seconds),
      values: points.map(([, packets]) => packets),
    })),
    line('round trip, median', 'µs', ofMetric(samples, 'round_trip'), ({ rttMedianMicros }) => rttMedianMicros),
    line('round trip, longest', 'µs', ofMetric(samples, 'round_trip'), ({ rttMaxMicros }) => rttMaxMicros),
  ].filter(({ values }) => values.some((value) => value !== null));
  const onset = (result.verdict ?? result.packetVerdict)?.onset;
  return lines.length === 0 ? undefined : { onsetSeconds: onset?.value, lines };
}

const inUnit = (value: number | undefined, unitSize: number) => (value === undefined ? undefined : value / unitSize);

function ofMetric(samples: readonly Sample[], metric: Sample['metric'], direction?: Sample['direction']) {
  return samples.filter(
    (sample) =>
      sample.metric === metric &&
      sample.stream === 'sum' &&
      (direction === undefined || sample.direction === direction),
  );
}

function line(
  name: string,
  unit: string,
  samples: readonly Sample[],
  valueOf: (sample: Sample) => number | undefined,
): SeriesLine {
  const breaks = new Map(gaps(samples).map(({ fromSeconds, toSeconds }) => [toSeconds, (fromSeconds + toSeconds) / 2]));
  const points = samples.flatMap((sample): [number, number | null][] => {
    const { startSeconds, lengthSeconds } = sample;
    const gap = breaks.get(startSeconds);
    const point: [number, number | null] = [startSeconds + lengthSeconds / 2, valueOf(sample) ?? null];
    return gap === undefined ? [point] : [[gap, null], point];
  });
  return { name, unit, seconds: points.map(([seconds]) => seconds), values: points.map(([, value]) => value) };
}
