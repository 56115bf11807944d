/** A series and the detector's answer in the fields of the detection benchmark, by which detectors can be compared. */
import { numberAt, zip } from '../maths/elements';
import type { RateInterval } from '../series/rate-series';
import type { SeriesShape } from './series-shape';
import { median } from '../maths/statistics';
import type { VerdictKind } from '../model/verdict';

export interface RateSeries {
  readonly id: string | number;
  /** When each sample begins, in seconds. */
  readonly t: readonly number[];
  /** NaN for a missing sample. */
  readonly bps: readonly number[];
  /** Length of a sample in seconds; by default the usual distance between two samples. */
  readonly dt?: number;
}

export interface Prediction {
  readonly id: string | number;
  readonly kind: VerdictKind;
  readonly throttled: boolean;
  readonly onset_s: number | null;
  readonly onset_lo: number | null;
  readonly onset_hi: number | null;
  readonly burst_bps: number | null;
  readonly baseline_bps: number | null;
  readonly capacity_bits: number | null;
  /** 0 to 1; null for `insufficient`, which claims nothing. */
  readonly confidence: number | null;
  /** What about the series may make the answer wrong. */
  readonly warnings: readonly string[];
}

export function rateIntervals(series: RateSeries): RateInterval[] {
  const lengthSeconds = series.dt ?? usualDistance(series.t) ?? 1;
  return zip(series.t, series.bps).map(([startSeconds, bitsPerSecond]) => ({
    startSeconds,
    lengthSeconds,
    bitsPerSecond,
  }));
}

/** undefined for a single sample; no verdict depends on its length. */
export function usualDistance(times: readonly number[]): number | undefined {
  const sorted = Float64Array.from(times.filter((time) => Number.isFinite(time))).sort();
  const distances = sorted.subarray(1).map((time, index) => time - numberAt(sorted, index));
  const apart = distances.filter((distance) => distance > 0);
  // Differences of decimal seconds have binary rounding errors.
  return apart.length === 0 ? undefined : Number(median(apart).toPrecision(9));
}

export function predictionOf(
  id: RateSeries['id'],
  { kind, throttle, confidence }: SeriesShape,
  warnings: readonly string[] = [],
): Prediction {
  return {
    id,
    kind,
    throttled: throttle !== null,
    onset_s: throttle?.onset.value ?? null,
    onset_lo: throttle?.onset.low ?? null,
    onset_hi: throttle?.onset.high ?? null,
    burst_bps: throttle?.burstBitsPerSecond ?? null,
    baseline_bps: throttle?.baselineBitsPerSecond ?? null,
    capacity_bits: throttle?.bucketBits ?? null,
    confidence: confidence && Number(confidence.toFixed(2)),
    warnings,
  };
}
