/** The expanded plan, `reports/<run id>/plan.json`: what plan-run decided and everything after it reads. */
import type {
  Direction,
  InstanceTypeFacts,
  NetworkPath,
  Placement,
  Protocol,
  Tool,
  ZoneRelation,
} from '../measurement/measurement';
import type { BenchmarkPlan } from './schema';

export interface PlannedRun {
  readonly schema: 'network-benchmark.plan.v1';
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** UTC day of `createdAt`: the partition of all this run's rows. */
  readonly day: string;
  /** As submitted, defaults filled in. */
  readonly plan: BenchmarkPlan;
  /** The AMI of each architecture in use, resolved once for the run. */
  readonly images: Partial<Record<InstanceTypeFacts['architecture'], string>>;
  readonly instanceTypes: Readonly<Record<string, InstanceTypeFacts>>;
  readonly pairs: readonly PlannedPair[];
}

/** A fresh pair of hosts and what is measured between them, latency before throughput. */
export interface PlannedPair {
  readonly pairId: string;
  readonly pairIndex: number;
  /** Index into `plan.pairs`. */
  readonly planPairIndex: number;
  readonly clientType: string;
  readonly serverType: string;
  readonly zoneRelation: ZoneRelation;
  readonly placement: Placement;
  readonly path: NetworkPath;
  /** 1-based. */
  readonly repetition: number;
  /** Where the pair may be launched, in the order in which it is tried. */
  readonly candidateSubnets: readonly PairSubnets[];
  /** How long the hosts may live, counted from their launch. */
  readonly lifetimeSeconds: number;
  readonly measurements: readonly PlannedMeasurement[];
}

export interface PairSubnets {
  readonly client: { readonly subnetId: string; readonly zone: string };
  readonly server: { readonly subnetId: string; readonly zone: string };
}

export interface PlannedMeasurement {
  readonly measurementId: string;
  readonly tool: Tool;
  readonly protocol: Protocol;
  readonly durationSeconds: number;
  readonly port: number;
  /** iperf3 */
  readonly parallelStreams?: number;
  readonly direction?: Direction;
  /** iperf3 over UDP: the offered load. */
  readonly targetBitsPerSecond?: number;
  /** sockperf */
  readonly messageBytes?: number;
}
