/** The payloads between state machines and handlers (sender → receiver), which only point to objects in S3. */
import type { HostRole } from '../model/host-role';
import type { HostDeadlines } from '../model/planned-run';
import type { MeasurementStatus } from '../model/result';

/** network-benchmark → plan-run. `plan` is the unchecked input of the execution. */
export interface PlanRunRequest {
  readonly runId: string;
  readonly plan: unknown;
  /** When the execution began, ISO 8601. */
  readonly startedAt?: string;
}

/** plan-run → network-benchmark. */
export interface PlanRunResponse {
  readonly runId: string;
  /** The pairs to launch: none in a dry run; pairs without an applicable measurement are left out. */
  readonly pairs: readonly LaunchedPair[];
  readonly concurrency: number;
  readonly dryRun: boolean;
  /** The S3 URI of the whole forecast, in JSON. */
  readonly forecastUri: string;
  /** null if the price is unknown. */
  readonly expectedUsd: number | null;
  /** null if there is no upper bound. */
  readonly upperUsd: number | null;
  /** The forecast as lines of text, only for a dry run, cut to what fits into a state's payload. */
  readonly forecast?: readonly string[];
  readonly planUri: string;
}

/**
 * network-benchmark → pair-benchmark, with the run's id: the input of one pair's execution. It has at most 160 bytes,
 * so that 1,000 of them fit into the 256 KiB of a state.
 */
export interface LaunchedPair extends HostDeadlines {
  readonly pairIndex: number;
  /** A label for readers of the execution: `p0007 c5.large to c5.metal`. */
  readonly label: string;
}

export interface PairRequest {
  readonly runId: string;
  readonly pairIndex: number;
}

/** pair-benchmark → launch-pair. */
export interface LaunchPairRequest extends PairRequest {
  /** How often the execution was redriven; absent if Step Functions does not give it. */
  readonly redriveCount?: number;
}

/** launch-pair → pair-benchmark. */
export interface LaunchPairResponse {
  readonly pairId: string;
  readonly clientInstanceId: string;
  readonly serverInstanceId: string;
  /** Absent without a placement group. */
  readonly placementGroupName?: string;
  /** The command of the document `prepare-host`, the same for both hosts. */
  readonly prepare: HostCommand;
  /** The command of the document `probe-path` on the client; null where the hosts use the stack's own network. */
  readonly probe: HostCommand | null;
}

/** pair-benchmark → connect-pair: sent with the output of a probe, then repeated without it until the path is ready. */
export interface ConnectPairRequest extends PairRequest {
  /** What `probe-path` printed. */
  readonly probeOutput?: string;
}

/** connect-pair → pair-benchmark. */
export type ConnectPairResponse =
  | { readonly ready: false; readonly waitingFor: string }
  /** The path from client to server is ready. Measurements that are not applicable are left out. */
  | { readonly ready: true; readonly measurements: readonly MeasurementCommands[] };

/** disconnect-pair → pair-benchmark, which sends `PairRequest` again until nothing remains. */
export interface DisconnectPairResponse {
  /** Describes the resources that cannot be removed yet. */
  readonly remaining: readonly string[];
}

/** A Run Command document and its parameters. */
export interface HostCommand {
  /** The document's folder, e.g. `measure-iperf3`; the state machine maps it to the deployed name. */
  readonly document: string;
  /** SendCommand requires each value to be a list. */
  readonly parameters: Readonly<Record<string, readonly [string]>>;
  /** How long the command is expected to take; polling is most frequent around its expected end. */
  readonly expectedSeconds: number;
  /** After this time the command counts as failed, regardless of what the SSM agent reports. */
  readonly deadlineSeconds: number;
}

export interface MeasurementCommands {
  readonly measurementId: string;
  readonly measurementIndex: number;
  /** null if nothing runs on the server. */
  readonly serve: HostCommand | null;
  readonly measure: HostCommand;
}

/** pair-benchmark → analyse-measurement; reap-run sends it too, for the measurements of a stopped run. */
export interface AnalyseMeasurementRequest extends PairRequest {
  readonly measurementIndex: number;
  /** Whether to analyse incomplete streams, as `truncated` or `failed`, instead of throwing `IncompleteSeriesError`. */
  readonly acceptTruncated: boolean;
  /** Why a command of the measurement failed; null when all succeeded. */
  readonly failureReason: string | null;
}

/** sweep-orphans → analyse-measurement, of an analysis that was cut off. */
export interface FoldUnfinishedRequest {
  readonly unfinishedKey: string;
}

/** analyse-measurement → pair-benchmark. */
export interface AnalyseMeasurementResponse {
  readonly measurementId: string;
  readonly status: MeasurementStatus;
  readonly reason: string | null;
  /** `drop, network_credits`; null where no throughput was measured. */
  readonly verdict: string | null;
}

/** The output (JSON) of the execution of a pair that made all of its measurements. */
export interface PairSuccess {
  readonly pairId: string;
  readonly status: 'complete';
  /** When the teardown of the hosts began, in Unix milliseconds; its first step terminates them. */
  readonly tearDownStartedAtMillis: number;
}

/** The cause of failure (JSON) of the execution of a pair that did not make all of its measurements. */
export interface PairFailure extends Omit<PairSuccess, 'status'> {
  readonly status: 'failed';
  readonly reason: string;
}

/** The output of one iteration of the Map state: at most 100 bytes, so that 1,000 pairs fit into its 256 KiB. */
export interface PairOutcome {
  readonly pairIndex: number;
  readonly status: 'complete' | 'failed';
  /** Taken from `PairSuccess`; absent for a pair that failed. */
  readonly tearDownStartedAtMillis?: number;
}

/** network-benchmark → summarise-run; reap-run sends it too. */
export interface SummariseRunRequest {
  readonly runId: string;
  readonly pairs: readonly PairOutcome[];
  /** Why the run ended early or never began; null otherwise. */
  readonly interruptedReason: string | null;
  /** The name in a rejected plan; null if it has no readable name. */
  readonly planName?: string | null;
  /** Taken from `PlanRunRequest`. */
  readonly startedAt?: string;
}

/** summarise-run → network-benchmark: the execution's output, or the cause of its failure. */
export interface RunOutcome {
  readonly runId: string;
  readonly outcome: 'complete' | 'incomplete' | 'failed' | 'dry_run';
  /** Absent for a plan that expects nothing. */
  readonly expectations?: {
    /** `met` only if all expectations of the plan are met. */
    readonly outcome: 'met' | 'not_met';
    /** Whether the execution fails although the run is complete. */
    readonly failsRun: boolean;
    /** One readable line per limit and pair of hosts, those that are not met first. */
    readonly lines: readonly string[];
  };
  /** Stands before the verdicts, which can be long, because readers look for failures first. */
  readonly failedPairs: readonly string[];
  readonly verdicts: readonly string[];
  readonly report: string;
  readonly summary: string;
  readonly links: RunLinks;
}

export interface RunLinks {
  /** The report in the S3 console, for anyone who is signed in to the account. */
  readonly reportConsole: string;
  /** The index page over all runs in the S3 console. */
  readonly indexConsole: string;
  /** The report for anyone who has this link, until it expires; present only if the deployment enables it. */
  readonly reportPresigned?: string;
}

/** launch-pair stores the hosts of a pair in this form under `pairHostsKey`. */
export interface PairHosts {
  readonly runId: string;
  readonly pairId: string;
  readonly launchedAt: string;
  readonly client: LaunchedHost;
  readonly server: LaunchedHost;
  /** Whether the hosts are in other subnets than their block (`domain/plan/zone-blocks.ts`), for want of capacity. */
  readonly isDisplaced?: boolean;
  readonly placementGroupName?: string;
  /** The security group that was made for the pair; absent where the path needs none. */
  readonly securityGroupId?: string;
  /** The hosts' only security groups on the path `own`: one per network, so both are the same within one network. */
  readonly securityGroupIds?: Readonly<Record<HostRole, string>>;
}

export interface LaunchedHost {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  /** The zone's id, which is the same in every account. */
  readonly zoneId?: string;
  readonly subnetId: string;
  readonly vpcId?: string;
  readonly imageId: string;
  readonly privateIp: string;
  /** EC2's launch time, ISO 8601 in UTC. */
  readonly launchedAt?: string;
}

/** launch-pair stores under `refusedLaunchKey` what an attempt that EC2 refused had already launched. */
export interface RefusedLaunch {
  /** The host that was launched, then terminated because the other one found no capacity; null if there was none. */
  readonly discarded: {
    readonly instanceType: string;
    /** ISO 8601, UTC. */
    readonly launchedAt: string;
    readonly terminatedAt: string;
  } | null;
}
