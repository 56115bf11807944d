/**
 * The payloads that travel between states and handlers: small, and pointers to S3 instead of data. One interface per
 * payload, each saying who makes it and who reads it.
 */
import type { MeasurementStatus } from '../model/result';
import type { VerdictKind } from '../model/verdict';

/** network-benchmark → plan-run. `plan` is the execution's input as it came. */
export interface PlanRunRequest {
  /** The execution's name. */
  readonly runId: string;
  readonly plan: unknown;
}

/** plan-run → network-benchmark. */
export interface PlanRunResponse {
  readonly runId: string;
  /** Of the pairs that are launched: one of which nothing applies is not. */
  readonly pairIndexes: readonly number[];
  readonly concurrency: number;
  readonly dryRun: boolean;
  /** The forecast whole, as JSON. */
  readonly forecastUri: string;
  /** null: unknown. */
  readonly expectedUsd: number | null;
  /** null: there is no upper bound. */
  readonly upperUsd: number | null;
  /** The forecast as a reader wants it, line by line; of a dry run only, and no more of it than a state can carry. */
  readonly forecast?: readonly string[];
  readonly planUri: string;
}

/** network-benchmark → pair-benchmark: the input of one pair's execution. */
export interface PairRequest {
  readonly runId: string;
  readonly pairIndex: number;
}

/** pair-benchmark → launch-pair: `PairRequest`. launch-pair → pair-benchmark: */
export interface LaunchPairResponse {
  readonly pairId: string;
  readonly clientInstanceId: string;
  readonly serverInstanceId: string;
  /** Absent without a placement group. */
  readonly placementGroupName?: string;
  /** `prepare-host`, one command for both hosts. */
  readonly prepare: HostCommand;
}

/** pair-benchmark → connect-pair: `PairRequest`, again and again until it is ready. connect-pair → pair-benchmark: */
export type ConnectPairResponse =
  | { readonly ready: false; readonly waitingFor: string }
  /** The way from client to server is there; these are the measurements over it, but for those that are not applicable. */
  | { readonly ready: true; readonly measurements: readonly MeasurementCommands[] };

/** pair-benchmark → disconnect-pair: `PairRequest`, again and again until nothing remains. disconnect-pair → pair-benchmark: */
export interface DisconnectPairResponse {
  /** What can't be removed yet, in words. */
  readonly remaining: readonly string[];
}

/** A Run Command document and the parameters it is sent with. */
export interface HostCommand {
  /** The document's noun, e.g. `measure-iperf3`; the state machine knows the deployed name. */
  readonly document: string;
  /** As SendCommand takes them: every value a list of one string. */
  readonly parameters: Readonly<Record<string, readonly [string]>>;
  /** How long the command is expected to take: polling is dense around it. */
  readonly expectedSeconds: number;
  /** After this the command has failed, whatever the agent says. */
  readonly deadlineSeconds: number;
}

export interface MeasurementCommands {
  readonly measurementId: string;
  readonly measurementIndex: number;
  /** null: nothing runs on the server. */
  readonly serve: HostCommand | null;
  readonly measure: HostCommand;
}

/** pair-benchmark (and reap-run, for what a stopped run left) → analyse-measurement. */
export interface AnalyseMeasurementRequest {
  readonly runId: string;
  readonly pairIndex: number;
  readonly measurementIndex: number;
  /**
   * false: both streams must be whole, else `IncompleteSeriesError` and the state machine asks again.
   * true: what is there is analysed, and the result is `truncated` (or `failed`).
   */
  readonly acceptTruncated: boolean;
  /** Why the measurement did not end well; null when it did. */
  readonly failureReason: string | null;
}

/** analyse-measurement → pair-benchmark. */
export interface AnalyseMeasurementResponse {
  readonly measurementId: string;
  readonly status: MeasurementStatus;
  readonly reason: string | null;
  readonly verdictKind: VerdictKind | null;
}

/** Output of a pair's execution that measured everything. */
export interface PairComplete {
  readonly pairId: string;
  readonly status: 'complete';
}

/** Cause (as JSON) of a pair's execution that did not. */
export interface PairFailure {
  readonly pairId: string;
  readonly status: 'failed';
  readonly reason: string;
}

/** What one iteration of the Map returns: at most 100 bytes, so that 1,000 pairs fit a state's 256 KiB. */
export interface PairOutcome {
  readonly pairIndex: number;
  readonly status: 'complete' | 'failed';
}

/** network-benchmark (and reap-run) → summarise-run. */
export interface SummariseRunRequest {
  readonly runId: string;
  readonly pairs: readonly PairOutcome[];
  /** Why the run ended before its time; null when it did not. */
  readonly interruptedReason: string | null;
}

/** summarise-run → network-benchmark: the execution's output, or the cause of its failure. */
export interface RunOutcome {
  readonly runId: string;
  readonly outcome: 'complete' | 'incomplete' | 'failed' | 'dry_run';
  /** One readable line per measurement. */
  readonly verdicts: readonly string[];
  readonly failedPairs: readonly string[];
  readonly report: string;
  readonly summary: string;
}

/** launch-pair → `pairHostsKey`: which hosts the pair got. */
export interface PairHosts {
  readonly runId: string;
  readonly pairId: string;
  readonly launchedAt: string;
  readonly client: LaunchedHost;
  readonly server: LaunchedHost;
  readonly placementGroupName?: string;
  /** Of the pair's own; absent where the path needs none. */
  readonly securityGroupId?: string;
}

export interface LaunchedHost {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly imageId: string;
  readonly privateIp: string;
}
