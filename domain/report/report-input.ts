/** What a report is made of. summarise-run gathers it; nothing here is looked up. */
import type { MeasurementResult } from '../model/result';
import type { Sample } from '../model/sample';
import type { RunOutcome } from '../workflow/contracts';
import type { ComparedCell, ComparedRun } from './comparison';
import type { EarlierRunsCell } from './earlier-runs';

export interface ReportInput {
  readonly run: ReportedRun;
  readonly results: readonly MeasurementResult[];
  /** By measurement id; `chartedMeasurementIds` says whose are shown. */
  readonly seriesOf: ReadonlyMap<string, readonly Sample[]>;
  readonly failedPairs: readonly FailedPair[];
  /** Against all earlier runs. Absent where these could not be asked; `earlierRunsUnavailable` may say why. */
  readonly earlierRuns?: readonly ComparedCell<EarlierRunsCell>[];
  readonly earlierRunsUnavailable?: string;
  /** Against the run that the plan names, where that has results. */
  readonly comparedRun?: ComparedRun;
  /** What a reader should know of how this report was made. */
  readonly warnings?: readonly string[];
  /** Where the rows are, for the report's last section. */
  readonly athena?: { readonly database: string; readonly workGroup: string };
}

export interface ReportedRun {
  readonly runId: string;
  readonly planName: string;
  readonly outcome: RunOutcome['outcome'];
  /** UTC day of the run: the partition of its rows. */
  readonly day: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly pairCount: number;
  /** As planned; `results` may have fewer when hosts were never there. */
  readonly measurementCount: number;
  readonly repetitions: number;
  readonly concurrency: number;
  readonly interruptedReason?: string | null;
  /** In which order the pairs were measured, and what a random order was drawn from. */
  readonly order?: 'random' | 'as_written';
  readonly seed?: number;
  /** As planned; null is unknown. */
  readonly expectedUsd?: number | null;
  readonly upperUsd?: number | null;
}

export interface FailedPair {
  readonly pairId: string;
  readonly reason: string;
}
