/** The payloads that states and handlers exchange: who → to whom. They point to objects in S3 and carry no data. */
import type { HostRole } from '../model/host-role';
import type { HostDeadlines } from '../model/planned-run';
import type { MeasurementStatus } from '../model/result';

/** network-benchmark → plan-run. `plan` is the unchecked input of the execution. */
export interface PlanRunRequest {
  /** The execution's name. */
  readonly runId: string;
  readonly plan: unknown;
  /** When the execution began, ISO 8601. */
  readonly startedAt?: string;
}

/** plan-run → network-benchmark. */
export interface PlanRunResponse {
  readonly runId: string;
  /** The pairs to launch: none of a dry run, nor those whose measurements are all not applicable. */
  readonly pairs: readonly LaunchedPair[];
  readonly concurrency: number;
  readonly dryRun: boolean;
  /** The whole forecast, as JSON. */
  readonly forecastUri: string;
  /** null: unknown. */
  readonly expectedUsd: number | null;
  /** null: there is no upper bound. */
  readonly upperUsd: number | null;
  /** The forecast as text, line by line: for a dry run only, and cut to what a state can carry. */
  readonly forecast?: readonly string[];
  readonly planUri: string;
}

/**
 * network-benchmark → pair-benchmark, with the run's id: the input of one pair's execution. It has at most 160 bytes, so
 * that 1,000 of them fit into the 256 KiB of a state.
 */
export interface LaunchedPair extends HostDeadlines {
  readonly pairIndex: number;
  /** For people who look at the execution: `p0007 c5.large to c5.metal`. */
  readonly label: string;
}

/** Which pair a handler works on. */
export interface PairRequest {
  readonly runId: string;
  readonly pairIndex: number;
}

/** pair-benchmark → launch-pair. */
export interface LaunchPairRequest extends PairRequest {
  /** How often somebody has redriven the execution; absent where the service does not say. */
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
  /** The command of the document `probe-path` on the client; null where the way between the hosts is the stack's own. */
  readonly probe: HostCommand | null;
}

/** pair-benchmark → connect-pair: after a probe with its output, and later without it until the path is ready. */
export interface ConnectPairRequest extends PairRequest {
  /** What `probe-path` printed. */
  readonly probeOutput?: string;
}

/** connect-pair → pair-benchmark. */
export type ConnectPairResponse =
  | { readonly ready: false; readonly waitingFor: string }
  /** The path from client to server is ready. Measurements that are not applicable are left out. */
  | { readonly ready: true; readonly measurements: readonly MeasurementCommands[] };

/** pair-benchmark → disconnect-pair: `PairRequest`, until nothing remains. disconnect-pair → pair-benchmark: */
export interface DisconnectPairResponse {
  /** The resources that cannot be removed yet, in words. */
  readonly remaining: readonly string[];
}

/** A Run Command document and its parameters. */
export interface HostCommand {
  /** Folder of the document, e.g. `measure-iperf3`; the state machine maps it to the deployed name. */
  readonly document: string;
  /** In the form of SendCommand: every value is a list of one string. */
  readonly parameters: Readonly<Record<string, readonly [string]>>;
  /** How long the command is expected to take; polling is dense around its expected end. */
  readonly expectedSeconds: number;
  /** After this time the command counts as failed, regardless of what the SSM agent reports. */
  readonly deadlineSeconds: number;
}

export interface MeasurementCommands {
  readonly measurementId: string;
  readonly measurementIndex: number;
  /** null: nothing runs on the server. */
  readonly serve: HostCommand | null;
  readonly measure: HostCommand;
}

/** pair-benchmark → analyse-measurement; also reap-run, for the measurements of a stopped run. */
export interface AnalyseMeasurementRequest extends PairRequest {
  readonly measurementIndex: number;
  /**
   * Whether to analyse incomplete streams, which makes the result `truncated` or `failed`; otherwise they are an
   * `IncompleteSeriesError`, and the state machine calls again.
   */
  readonly acceptTruncated: boolean;
  /** Why a command of the measurement failed; null when all succeeded. */
  readonly failureReason: string | null;
}

/** analyse-measurement → pair-benchmark. */
export interface AnalyseMeasurementResponse {
  readonly measurementId: string;
  readonly status: MeasurementStatus;
  readonly reason: string | null;
  /** `drop, network_credits`; null where no throughput was measured. */
  readonly verdict: string | null;
}

/** Output (as JSON) of a pair's execution that made all of its measurements. */
export interface PairSuccess {
  readonly pairId: string;
  readonly status: 'complete';
  /** When the teardown of its hosts began, in Unix milliseconds: the first thing that it does is to terminate them. */
  readonly tearDownStartedAtMillis: number;
}

/** Cause (as JSON) of a pair's execution that did not. */
export interface PairFailure extends Omit<PairSuccess, 'status'> {
  readonly status: 'failed';
  readonly reason: string;
}

/** The output of one iteration of the Map: at most 100 bytes, so that 1,000 pairs fit into the 256 KiB of a state. */
export interface PairOutcome {
  readonly pairIndex: number;
  readonly status: 'complete' | 'failed';
  /** Of `PairSuccess`; absent for a pair that failed. */
  readonly tearDownStartedAtMillis?: number;
}

/** network-benchmark → summarise-run; also reap-run. */
export interface SummariseRunRequest {
  readonly runId: string;
  readonly pairs: readonly PairOutcome[];
  /** Why the run ended early, or never began; null when it did neither. */
  readonly interruptedReason: string | null;
  /** The name in a plan that was not accepted; null where it has none that can be read. */
  readonly planName?: string | null;
  /** Of `PlanRunRequest`. */
  readonly startedAt?: string;
}

/** summarise-run → network-benchmark: the execution's output, or the cause of its failure. */
export interface RunOutcome {
  readonly runId: string;
  readonly outcome: 'complete' | 'incomplete' | 'failed' | 'dry_run';
  /** Absent for a plan that expects nothing. */
  readonly expectations?: {
    /** `met` only where everything that the plan expects is met. */
    readonly outcome: 'met' | 'not_met';
    /** Whether the execution fails although its run is complete. */
    readonly failsRun: boolean;
    /** One readable line per limit and pair of hosts, what is not met first. */
    readonly lines: readonly string[];
  };
  /** First, because people look for what failed, and the verdicts can be long. */
  readonly failedPairs: readonly string[];
  /** One readable line per measurement. */
  readonly verdicts: readonly string[];
  readonly report: string;
  readonly summary: string;
  readonly links: RunLinks;
}

/** Addresses that open in a browser. */
export interface RunLinks {
  /** The report in the S3 console, for whoever has signed in to the account. */
  readonly reportConsole: string;
  /** The page over all runs, there too. */
  readonly indexConsole: string;
  /** The report for whoever has this link, until it ends; only where the deployment asks for it. */
  readonly reportPresigned?: string;
}

/** The hosts of a pair, as launch-pair stores them under `pairHostsKey`. */
export interface PairHosts {
  readonly runId: string;
  readonly pairId: string;
  readonly launchedAt: string;
  readonly client: LaunchedHost;
  readonly server: LaunchedHost;
  /**
   * Whether the hosts are in other subnets than their block (`domain/plan/zone-blocks.ts`), because there was no room in
   * those.
   */
  readonly isDisplaced?: boolean;
  readonly placementGroupName?: string;
  /** The pair's own security group; absent where the path needs none. */
  readonly securityGroupId?: string;
  /** On the path `own`, where hosts are in no other group: one per network, twice the same in one network. */
  readonly securityGroupIds?: Readonly<Record<HostRole, string>>;
}

export interface LaunchedHost {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  /** The same in every account. */
  readonly zoneId?: string;
  readonly subnetId: string;
  readonly vpcId?: string;
  readonly imageId: string;
  readonly privateIp: string;
  /** As EC2 gives it, ISO 8601 in UTC. */
  readonly launchedAt?: string;
}

/** What a refused attempt to launch a pair left, as launch-pair stores it under `refusedLaunchKey`. */
export interface RefusedLaunch {
  /** The host that was launched, and terminated when there was no room for the other one; null if there was none. */
  readonly discarded: {
    readonly instanceType: string;
    /** ISO 8601, UTC, as all instants. */
    readonly launchedAt: string;
    readonly terminatedAt: string;
  } | null;
}
