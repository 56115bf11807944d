/** The expanded plan, `reports/<run id>/plan.json`, which plan-run writes and every later step reads. */
import type { PlanExpectations } from './expectation';
import type { HostRole } from './host-role';
import type { InstanceTypeFacts } from './instance-type';
import type { ScaledModel } from './scaled-model';
import type { MeasurementSettings } from './settings';
import type { PairConditions } from './conditions';

export interface PlannedRun {
  readonly schema: 'network-benchmark.plan.v1';
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** UTC day of `createdAt`: the partition of all rows of this run. */
  readonly day: string;
  /** Where the hosts are launched, by whose prices the run is priced; absent in runs of 0.3.0. */
  readonly region?: string;
  /** The submitted plan with its defaults filled in, and with the concurrency that the account's quotas allow. */
  readonly plan: SubmittedPlan;
  /** The previous run found when this run was planned; only if the plan compares with it. */
  readonly previousRun?: PreviousRun;
  /** Seed of the random order of the pairs; the same plan and seed give the same order. */
  readonly seed: number;
  /** As forecast before the first launch; null if unknown. The whole forecast is stored beside this document. */
  readonly expectedUsd: number | null;
  /** The highest price as forecast; null if there was no upper bound. */
  readonly upperUsd: number | null;
  /** The AMI of each architecture in use, resolved once per run. */
  readonly images: Partial<Record<InstanceTypeFacts['architecture'], string>>;
  readonly instanceTypes: Readonly<Record<string, InstanceTypeFacts>>;
  /** Tags of the deployment and the plan; stored, because a repeated call must have the same tags. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The scaled model of EC2 on which the run was made; absent on EC2 itself. */
  readonly scaledModel?: ScaledModel;
  readonly pairs: readonly PlannedPair[];
}

/** The value of `compareTo` that means the last complete run of a plan of the same name. */
export const PREVIOUS_RUN = 'previous';

export type PreviousRun =
  { readonly runId: string; readonly reason: null } | { readonly runId: null; readonly reason: string };

/** Returns the run to compare with; undefined if the plan names none. */
export function comparedRunOf({
  plan,
  previousRun,
}: Pick<PlannedRun, 'plan' | 'previousRun'>): PreviousRun | undefined {
  if (plan.compareTo === undefined) return undefined;
  return plan.compareTo === PREVIOUS_RUN ? previousRun : { runId: plan.compareTo, reason: null };
}

/** The fields of the submitted plan that are read after it was expanded; the document contains all of them. */
export interface SubmittedPlan extends PlanExpectations {
  readonly name: string;
  readonly repetitions: number;
  readonly concurrency: number;
  readonly order: 'random' | 'as_written';
  /** The name of a run, or `PREVIOUS_RUN`. */
  readonly compareTo?: string;
  /** The user's own prices, as `priceOverrides` has checked them. */
  readonly prices?: unknown;
}

/** A fresh pair of hosts and what is measured between them, latency before throughput. */
export interface PlannedPair extends PairConditions {
  readonly pairId: string;
  readonly pairIndex: number;
  /** Index into `plan.pairs`. */
  readonly planPairIndex: number;
  readonly clientType: string;
  readonly serverType: string;
  /** The number of the repetition, from 1. */
  readonly repetition: number;
  /** The subnets in which the pair may be launched, in the order in which they are tried. */
  readonly candidateSubnets: readonly PairSubnets[];
  /** The longest life of the hosts, from their launch. */
  readonly lifetimeSeconds: number;
  readonly hostDeadlines: HostDeadlines;
  /** Absent if both hosts have a public address and the run's image. */
  readonly ends?: Readonly<Record<HostRole, PlannedHost>>;
  readonly measurements: readonly PlannedMeasurement[];
}

/** The facts about one host besides its subnet, which is one of `candidateSubnets`. */
export interface PlannedHost {
  readonly publicAddress: boolean;
  /** The image that the plan names; absent for the run's image of the type's architecture. */
  readonly image?: HostImage;
}

/** The image that the plan names for a host. */
export interface HostImage {
  readonly imageId: string;
  /** The image's root device, e.g. `/dev/xvda`; the launch template names that of Canonical's images, `/dev/sda1`. */
  readonly rootDeviceName: string;
  /** Size of the image's root volume; it can't be launched with a smaller one. */
  readonly rootVolumeGibibytes: number;
  /** The name that its owner gave it. */
  readonly name: string;
}

export interface HostDeadlines {
  /** From the launch of the hosts until both have registered with Systems Manager. */
  readonly onlineDeadlineSeconds: number;
  /** From the first attempt to terminate the hosts until both are gone, with their placement group. */
  readonly tearDownDeadlineSeconds: number;
}

export interface Subnet {
  readonly subnetId: string;
  /** The zone's name, which denotes a different zone in each account. */
  readonly zone: string;
  /** The zone's id, which is the same in every account. */
  readonly zoneId: string;
  readonly vpcId: string;
}
export type PairSubnets = Readonly<Record<HostRole, Subnet>>;

export interface PlannedMeasurement extends MeasurementSettings {
  readonly measurementId: string;
  /** Index into `plan.measurements`. */
  readonly planMeasurementIndex: number;
  /** The repetition, from 1, that the measurement itself asks for: on the same pair unless it spends credits. */
  readonly pairRepetition: number;
  /** Name of a module in `domain/tools`. */
  readonly tool: string;
  readonly port: number;
  /** Why it can't be measured on this pair; that is recorded, and nothing is sent to the hosts. */
  readonly notApplicable?: string;
}

/** A pair without any applicable measurement is recorded, costs nothing, and is not launched. */
export function isLaunched(pair: { readonly measurements: readonly { readonly notApplicable?: string }[] }): boolean {
  return pair.measurements.some(({ notApplicable }) => notApplicable === undefined);
}
