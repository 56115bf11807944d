/** What a forecast is made from, besides the planned pairs and the published figures of their instance types. */
import type { InstanceTypeFacts } from '../model/instance-type';
import type { PlannedMeasurement, PlannedPair } from '../model/planned-run';
import type { ScaledModel } from '../model/scaled-model';
import type { MetricKind } from '../model/settings';
import type { KnownBucket } from './credits';
import type { Prices } from './prices/price-table';

/** The facts about a measurement that only its tool's module knows. */
export interface MeasurementWork {
  readonly kind: MetricKind;
  /** Whether a host serves it; otherwise the object store does. */
  readonly isBetweenHosts: boolean;
  /** How long its command takes. */
  readonly expectedSeconds: number;
  /** How long serving and measuring take at most. */
  readonly limitSeconds: number;
}

export interface ForecastInput extends Prices {
  readonly pairs: readonly PlannedPair[];
  /** Instance types by name, without those that EC2 does not know. */
  readonly instanceTypes: Readonly<Record<string, InstanceTypeFacts>>;
  /** Buckets that earlier runs of this account found; they take precedence over public recordings. */
  readonly earlierBuckets?: readonly KnownBucket[];
  /** Absent where the run measures EC2 itself. */
  readonly scaledModel?: ScaledModel;
  readonly workOf: (measurement: PlannedMeasurement) => MeasurementWork;
}
