/** The expanded plan, `reports/<run id>/plan.json`: what plan-run decided and everything after it reads. */
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
  /** UTC day of `createdAt`: the partition of all this run's rows. */
  readonly day: string;
  /** As submitted, defaults filled in. */
  readonly plan: SubmittedPlan;
  /** Only where the plan is to be compared with the previous run: the one found when this run was planned. */
  readonly previousRun?: PreviousRun;
  /** What the order of the pairs was drawn from; the same plan with this seed comes in the same order. */
  readonly seed: number;
  /** Before the first launch; the whole forecast is beside this document. null: unknown. */
  readonly expectedUsd: number | null;
  /** null: there was no upper bound. */
  readonly upperUsd: number | null;
  /** The AMI of each architecture in use, resolved once for the run. */
  readonly images: Partial<Record<InstanceTypeFacts['architecture'], string>>;
  readonly instanceTypes: Readonly<Record<string, InstanceTypeFacts>>;
  /**
   * The user's own tags, of the deployment and the plan, for everything that the run makes. They are stored because a
   * repeated call must have the same tags, also after another deployment.
   */
  readonly tags?: Readonly<Record<string, string>>;
  /** Absent on EC2 itself. */
  readonly scaledModel?: ScaledModel;
  readonly pairs: readonly PlannedPair[];
}

/** What `compareTo` says for the last complete run of a plan of the same name. */
export const PREVIOUS_RUN = 'previous';

export type PreviousRun =
  { readonly runId: string; readonly reason: null } | { readonly runId: null; readonly reason: string };

/** The run to compare with; undefined where the plan names none. */
export function comparedRunOf({
  plan,
  previousRun,
}: Pick<PlannedRun, 'plan' | 'previousRun'>): PreviousRun | undefined {
  if (plan.compareTo === undefined) return undefined;
  return plan.compareTo === PREVIOUS_RUN ? previousRun : { runId: plan.compareTo, reason: null };
}

/** What of the submitted plan is read after it was expanded; the document holds all of it. */
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
  /** 1-based. */
  readonly repetition: number;
  /** Where the pair may be launched, in the order in which it is tried. */
  readonly candidateSubnets: readonly PairSubnets[];
  /** How long the hosts may live, counted from their launch. */
  readonly lifetimeSeconds: number;
  readonly hostDeadlines: HostDeadlines;
  /** Absent: both hosts have a public address and the run's image. */
  readonly ends?: Readonly<Record<HostRole, PlannedHost>>;
  readonly measurements: readonly PlannedMeasurement[];
}

/** What is decided about one host beside its subnet, which `candidateSubnets` has. */
export interface PlannedHost {
  readonly publicAddress: boolean;
  /** Absent: the run's image of the type's architecture. */
  readonly image?: HostImage;
}

/** The image that the plan names for a host. */
export interface HostImage {
  readonly imageId: string;
  /** Of the image, e.g. `/dev/xvda`; the launch template names that of Canonical's images, `/dev/sda1`. */
  readonly rootDeviceName: string;
  /** Of the image's own root volume, which can't be launched into a smaller one. */
  readonly rootVolumeGibibytes: number;
  /** As its owner calls it. */
  readonly name: string;
}

export interface HostDeadlines {
  /** From the launch of the hosts until both have registered with Systems Manager. */
  readonly onlineDeadlineSeconds: number;
  /** From the first try to terminate the hosts until both are gone, with their placement group. */
  readonly tearDownDeadlineSeconds: number;
}

export interface Subnet {
  readonly subnetId: string;
  /** The zone's name, which means another zone in another account. */
  readonly zone: string;
  /** The same in every account. */
  readonly zoneId: string;
  readonly vpcId: string;
}
export type PairSubnets = Readonly<Record<HostRole, Subnet>>;

export interface PlannedMeasurement extends MeasurementSettings {
  readonly measurementId: string;
  /** Index into `plan.measurements`. */
  readonly planMeasurementIndex: number;
  /** Counts the repetitions that the measurement itself asks for, from 1: on the same pair, unless they spend credits. */
  readonly pairRepetition: number;
  /** Name of a module in `domain/tools`. */
  readonly tool: string;
  readonly port: number;
  /** Why it can't be measured on this pair; it is recorded, and nothing is sent to the hosts. */
  readonly notApplicable?: string;
}

/** Pairs of which nothing can be measured are recorded, priced at nothing, and not launched. */
export function isLaunched(pair: { readonly measurements: readonly { readonly notApplicable?: string }[] }): boolean {
  return pair.measurements.some(({ notApplicable }) => notApplicable === undefined);
}
