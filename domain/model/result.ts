/** The result of a measurement: what was planned, what was sampled, and the verdict. */
import type { InstanceTypeFacts } from './instance-type';
import type { PlannedMeasurement, PlannedPair } from './planned-run';
import type { LatencyVerdict, PacketVerdict, Verdict } from './verdict';
import type { HostFacts } from './raw-chunk';
import type { ScaledModel } from './scaled-model';
import type { MetricKind } from './settings';
import type { Statistics } from './statistics';

export type MeasurementStatus = 'complete' | 'truncated' | 'failed' | 'not_applicable';

type PlannedFacts = Omit<
  PlannedPair,
  'pairIndex' | 'candidateSubnets' | 'lifetimeSeconds' | 'hostDeadlines' | 'ends' | 'measurements'
> &
  Omit<PlannedMeasurement, 'port' | 'notApplicable'>;

/** The result as stored in `reports/<run id>/measurements/<measurement id>.json`. */
export interface MeasurementResult extends PlannedFacts {
  readonly schema: 'network-benchmark.measurement.v1';
  readonly runId: string;
  readonly planName: string;
  /** UTC day of the run: the partition of its rows. */
  readonly day: string;
  /** Where the hosts were launched; absent in runs of 0.3.0. */
  readonly region?: string;
  readonly kind: MetricKind;
  /** The scaled model of EC2 that was measured; absent for EC2 itself. */
  readonly scaledModel?: ScaledModel;
  readonly client?: MeasuredHost;
  readonly server?: MeasuredHost;
  /** Whether the hosts had to be launched in other subnets than their repetitions. Absent without a launch. */
  readonly isDisplaced?: boolean;
  readonly status: MeasurementStatus;
  /** Why the status is not `complete`. */
  readonly reason?: string;
  readonly toolVersion?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Number of one-second samples, in one direction, of metric `throughput` or `packets`. Absent for latency. */
  readonly sampleCount?: number;
  readonly statistics: Statistics;
  /** Says that other work kept a host's processors busy, which may distort the figures; absent if none is known. */
  readonly cpuContention?: string;
  /** The verdict on throughput, otherwise null. Of two directions driven at once, it is the one that says more. */
  readonly verdict: Verdict | null;
  /** The verdict on the other direction, if both were driven at once. */
  readonly otherDirection?: Verdict;
  /** Present if packets were measured. */
  readonly packetVerdict?: PacketVerdict;
  /** Present if round trips were measured, or if a host's allowance held back all of them. */
  readonly latencyVerdict?: LatencyVerdict;
  readonly publishedClient?: InstanceTypeFacts;
  readonly publishedServer?: InstanceTypeFacts;
  readonly warnings: readonly string[];
}

export interface MeasuredHost {
  readonly instanceId: string;
  readonly zone: string;
  /** The zone's id, which is the same in every account. */
  readonly zoneId?: string;
  readonly subnetId?: string;
  readonly vpcId?: string;
  readonly imageId: string;
  readonly privateIp: string;
  readonly facts?: HostFacts;
  /** Absent if the driver does not count ENA Express packets. */
  readonly enaSrdPackets?: EnaSrdPackets;
  /** Absent if the counters of the measured interface were not read, or were reset. */
  readonly interfaceBytes?: InterfaceBytes;
}

/** Bytes on the measured interface, from the first second of the stream to its last. */
export interface InterfaceBytes {
  readonly sent: number;
  readonly received: number;
}

/** Packets counted by the driver from the first second of the stream to its last. */
export interface EnaSrdPackets {
  /** Packets sent over SRD. */
  readonly sent: number;
  /** Packets that could have been sent over SRD, including those that were. */
  readonly eligible: number;
  readonly received: number;
}
