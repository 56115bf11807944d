/** One line of a labelled series in, one prediction line out: the form that detectors are scored in. */
import { classifySeries } from '../../domain/changepoint/index';

export interface LabelledSeries {
  readonly id: string;
  readonly kind: string;
  readonly dt?: number;
  readonly t: readonly number[];
  readonly bps: readonly number[];
  readonly truth: {
    readonly verdict: string;
    readonly accept: readonly string[];
    readonly throttled: boolean;
    readonly onset_s?: number;
    readonly burst_bps?: number;
    readonly baseline_bps?: number;
    readonly capacity_bits?: number;
    readonly gap_at_onset_s?: number;
  };
}

export function predict(series: Pick<LabelledSeries, 'id' | 'dt' | 't' | 'bps'>) {
  const lengthSeconds = series.dt ?? 1;
  const intervals = series.t.map((startSeconds, index) => ({
    startSeconds,
    lengthSeconds,
    bitsPerSecond: series.bps[index]!,
  }));
  const before = performance.now();
  const shape = classifySeries(intervals);
  const ms = performance.now() - before;
  return {
    id: series.id,
    verdict: shape.seriesClass,
    throttled: shape.isThrottled,
    onset_s: shape.onsetSeconds,
    onset_lo: shape.onsetLowSeconds,
    onset_hi: shape.onsetHighSeconds,
    burst_bps: shape.burstBitsPerSecond,
    baseline_bps: shape.baselineBitsPerSecond,
    capacity_bits: shape.bucketBits,
    ms,
  };
}
