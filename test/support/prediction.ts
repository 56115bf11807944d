/** The detection benchmark's labelled series, and the product's own prediction of one. */
import type { RateSeries } from '../../domain/detection/prediction';

export { predict } from '../../bin/series-line';

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
