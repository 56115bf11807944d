/** The detection benchmark's labelled series, and the product's own prediction of one. */
import type { VerdictKind } from '../../domain/model/verdict';
import type { RateSeries } from '../../domain/detection/prediction';

export { predict } from '../../bin/analyse-series';

/** What the benchmark calls each kind of series. */
export const BENCHMARK_CLASSES: Readonly<Record<VerdictKind, string>> = {
  steady: 'steady',
  noisy: 'noisy',
  dips: 'transient_dips',
  ramp: 'ramp',
  shift: 'level_shift',
  drop: 'burst_then_throttle',
  drops: 'multi_step',
  cycle: 'periodic_recharge',
  insufficient: 'insufficient',
  outage: 'transient_dips',
};

export interface LabelledSeries extends RateSeries {
  readonly id: string;
  readonly kind: string;
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
