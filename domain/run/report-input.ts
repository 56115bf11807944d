/** The input of the report and of the index page over all runs. Handlers gather it, so that rendering does no I/O. */
import type { WatchedFigure } from '../history/changes';
import type { RunHistory, UnreadableRun } from '../history/history';
import type { PairCost } from '../model/cost';
import type { ProbedPath } from '../model/probed-path';
import type { MeasurementResult } from '../model/result';
import type { Sample } from '../model/sample';
import type { RunFacts } from '../tables/columns';
import type { ComparedCell, ComparedRun } from './comparison';
import type { EarlierRunsCell } from './earlier-runs';
import type { RunExpectations } from './expectations';

export interface ReportInput {
  readonly run: ReportedRun;
  readonly results: readonly MeasurementResult[];
  /** Samples by measurement id; `chartedMeasurementIds` lists the measurements whose series are shown. */
  readonly seriesOf: ReadonlyMap<string, readonly Sample[]>;
  /** The files with the series beside the report, as links from it, by measurement id; absent if there are none. */
  readonly seriesFiles?: ReadonlyMap<string, readonly string[]>;
  readonly failedPairs: readonly FailedPair[];
  /** What each pair cost; absent if the run has no plan. */
  readonly pairCosts?: readonly PairCost[];
  /** The results of `probe-path`, which probes routes of the path `own` before anything is measured. */
  readonly probedPaths?: readonly ProbedPath[];
  /** The comparison with all earlier runs; absent where they could not be queried. */
  readonly earlierRuns?: readonly ComparedCell<EarlierRunsCell>[];
  readonly earlierRunsUnavailable?: string;
  /** The comparison with the run that the plan names, where that run has results. */
  readonly comparedRun?: ComparedRun;
  /** Absent for a plan that expects nothing. */
  readonly expectations?: RunExpectations;
  /** Problems while this report was made. */
  readonly warnings?: readonly string[];
  /** Where the rows can be queried, for the report's last section. */
  readonly athena?: { readonly database: string; readonly workGroup: string };
}

export interface ReportedRun extends Omit<
  RunFacts,
  'failedPairCount' | 'measurementStatuses' | 'reportUri' | 'expectationsOutcome' | 'expectationCounts' | 'expectations'
> {
  /** UTC day of the run, which is the partition of its rows. */
  readonly day: string;
  /** The planned number; `results` has fewer where hosts were never launched. */
  readonly measurementCount: number;
  readonly order?: 'random' | 'as_written';
  readonly seed?: number;
}

export interface FailedPair {
  readonly pairId: string;
  readonly reason: string;
}

export interface IndexInput {
  readonly history: RunHistory;
  /** The result of `watchedFigures` for the history. */
  readonly watched: readonly WatchedFigure[];
  /** Runs that are missing from the history because their documents can't be read. */
  readonly unreadable: readonly UnreadableRun[];
  /** The Region of the bucket with the reports. */
  readonly region: string;
  readonly bucketName: string;
  /** ISO 8601, UTC. */
  readonly renewedAt: string;
}
