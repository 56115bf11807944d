/**
 * A series as the detection benchmark has it (`id`, `t` seconds, `bps`, perhaps `dt`) in, the detector's answer in the
 * benchmark's words out. Detectors of any origin can be compared through these two forms.
 */
import { numberAt } from '../maths/elements';
import type { RateInterval } from '../series/rate-series';
import type { SeriesShape } from './series-shape';
import { median } from '../maths/statistics';

export interface RateSeries {
  readonly id: string | number;
  /** Where each sample begins. */
  readonly t: readonly number[];
  /** NaN where the sample has no usable rate: it counts as not there. */
  readonly bps: readonly number[];
  /** Length of a sample in seconds; where it is absent, the usual distance between two samples is taken. */
  readonly dt?: number;
}

export interface Prediction {
  readonly id: string | number;
  readonly verdict: SeriesShape['seriesClass'];
  readonly throttled: boolean;
  readonly onset_s: number | null;
  readonly onset_lo: number | null;
  readonly onset_hi: number | null;
  readonly burst_bps: number | null;
  readonly baseline_bps: number | null;
  readonly capacity_bits: number | null;
}

export function rateIntervals(series: RateSeries): RateInterval[] {
  const lengthSeconds = series.dt ?? usualDistance(series.t);
  return series.t.map((startSeconds, index) => ({
    startSeconds,
    lengthSeconds,
    bitsPerSecond: series.bps[index] ?? NaN,
  }));
}

/** A single sample is taken for a second: no verdict depends on it. */
function usualDistance(times: readonly number[]): number {
  const sorted = Float64Array.from(times.filter((time) => Number.isFinite(time))).sort();
  const distances = sorted.subarray(1).map((time, index) => time - numberAt(sorted, index));
  const apart = distances.filter((distance) => distance > 0);
  // Differences of decimal seconds carry binary dust.
  return apart.length === 0 ? 1 : Number(median(apart).toPrecision(9));
}

export function predictionOf(id: RateSeries['id'], { seriesClass, throttle }: SeriesShape): Prediction {
  return {
    id,
    verdict: seriesClass,
    throttled: throttle !== null,
    onset_s: throttle?.onset.value ?? null,
    onset_lo: throttle?.onset.low ?? null,
    onset_hi: throttle?.onset.high ?? null,
    burst_bps: throttle?.burstBitsPerSecond ?? null,
    baseline_bps: throttle?.baselineBitsPerSecond ?? null,
    capacity_bits: throttle?.bucketBits ?? null,
  };
}
