/** What was planned for one measurement, what was sampled, and the verdict. */
import type { InstanceTypeFacts } from './instance-type';
import type { PlannedMeasurement, PlannedPair } from './planned-run';
import type { LatencyVerdict, PacketVerdict, Verdict } from './verdict';
import type { HostFacts } from './raw-chunk';
import type { ScaledModel } from './scaled-model';
import type { MetricKind } from './settings';
import type { Statistics } from './statistics';

export type MeasurementStatus = 'complete' | 'truncated' | 'failed' | 'not_applicable';

/** What a result has of its pair and its measurement as they were planned. */
type PlannedFacts = Omit<
  PlannedPair,
  'pairIndex' | 'candidateSubnets' | 'lifetimeSeconds' | 'hostDeadlines' | 'ends' | 'measurements'
> &
  Omit<PlannedMeasurement, 'port' | 'notApplicable'>;

/** The whole result of one measurement: `reports/<run id>/measurements/<measurement id>.json`. */
export interface MeasurementResult extends PlannedFacts {
  readonly schema: 'network-benchmark.measurement.v1';
  readonly runId: string;
  readonly planName: string;
  /** UTC day of the run, the partition its rows are in. */
  readonly day: string;
  readonly kind: MetricKind;
  /** Absent for what was measured on EC2 itself. */
  readonly scaledModel?: ScaledModel;
  readonly client?: MeasuredHost;
  readonly server?: MeasuredHost;
  /**
   * Whether the hosts were launched in other subnets than what it is compared with in its run, because there was no room
   * there. Absent where nothing was launched.
   */
  readonly isDisplaced?: boolean;
  readonly status: MeasurementStatus;
  /** Why the status is not `complete`. */
  readonly reason?: string;
  readonly toolVersion?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** One-second samples of metric `throughput`, of one direction, or of metric `packets`. Absent for latency. */
  readonly sampleCount?: number;
  readonly statistics: Statistics;
  /**
   * Whose processors other work kept busy, in words; the figures may show that instead of the network. Absent where it did
   * not, and where that is unknown.
   */
  readonly cpuContention?: string;
  /** null for latency and packets, and where nothing was measured. Of both directions driven at once the more telling one's. */
  readonly verdict: Verdict | null;
  /** The verdict on the other direction, where both were driven at once. */
  readonly otherDirection?: Verdict;
  /** Present where packets were measured. */
  readonly packetVerdict?: PacketVerdict;
  /** Present where round trips were measured, or held back until there were none. */
  readonly latencyVerdict?: LatencyVerdict;
  readonly publishedClient?: InstanceTypeFacts;
  readonly publishedServer?: InstanceTypeFacts;
  readonly warnings: readonly string[];
}

export interface MeasuredHost {
  readonly instanceId: string;
  readonly zone: string;
  /** The same in every account. */
  readonly zoneId?: string;
  readonly subnetId?: string;
  readonly vpcId?: string;
  readonly imageId: string;
  readonly privateIp: string;
  readonly facts?: HostFacts;
  /** Absent where the driver does not count what ENA Express carries. */
  readonly enaSrdPackets?: EnaSrdPackets;
  /** Absent where the counters of the measured interface were not read, or were reset. */
  readonly interfaceBytes?: InterfaceBytes;
}

/** What the measured interface carried, from the first second of the stream to its last. */
export interface InterfaceBytes {
  readonly sent: number;
  readonly received: number;
}

/** Packets, as the driver counted them from the first second of the stream to its last. */
export interface EnaSrdPackets {
  /** Over SRD. */
  readonly sent: number;
  /** That could have gone over SRD, those that did among them. */
  readonly eligible: number;
  readonly received: number;
}
