/** The whole result of one measurement: what was planned, what was sampled, and the verdict. */
import type { PairConditions } from './conditions';
import type { InstanceTypeFacts } from './instance-type';
import type { HostFacts } from './raw-chunk';
import type { MeasurementSettings, MetricKind } from './settings';
import type { Statistics } from './statistics';
import type { Verdict } from './verdict';

export type MeasurementStatus = 'complete' | 'truncated' | 'failed' | 'not_applicable';

/** The whole result of one measurement: `reports/<run id>/measurements/<measurement id>.json`. */
export interface MeasurementResult extends MeasurementSettings, PairConditions {
  readonly schema: 'network-benchmark.measurement.v1';
  readonly runId: string;
  readonly planName: string;
  readonly pairId: string;
  readonly measurementId: string;
  readonly repetition: number;
  /** UTC day of the run, the partition its rows are in. */
  readonly day: string;
  /** Counts the repetitions on the same pair, from 1. */
  readonly pairRepetition: number;
  /** Index into the plan's `measurements` and `pairs`: the same in every repetition. */
  readonly planMeasurementIndex: number;
  readonly planPairIndex: number;
  /** Name of a module in `domain/tools`. */
  readonly tool: string;
  readonly kind: MetricKind;
  readonly clientType: string;
  readonly serverType: string;
  readonly client?: MeasuredHost;
  readonly server?: MeasuredHost;
  readonly status: MeasurementStatus;
  /** Why the status is not `complete`. */
  readonly reason?: string;
  readonly toolVersion?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** One-second samples of metric `throughput`, of one direction. Absent for latency. */
  readonly sampleCount?: number;
  readonly statistics: Statistics;
  /** null for latency, and where nothing was measured. Of both directions driven at once the more telling one's. */
  readonly verdict: Verdict | null;
  /** The verdict on the other direction, where both were driven at once. */
  readonly otherDirection?: Verdict;
  readonly publishedClient?: InstanceTypeFacts;
  readonly publishedServer?: InstanceTypeFacts;
  readonly warnings: readonly string[];
}

export interface MeasuredHost {
  readonly instanceId: string;
  readonly zone: string;
  readonly imageId: string;
  readonly privateIp: string;
  readonly facts?: HostFacts;
  /** Absent where the driver does not count what ENA Express carries. */
  readonly enaSrdPackets?: EnaSrdPackets;
}

/** Packets, as the driver counted them from the first second of the stream to its last. */
export interface EnaSrdPackets {
  /** Over SRD. */
  readonly sent: number;
  /** That could have gone over SRD, those that did among them. */
  readonly eligible: number;
  readonly received: number;
}
