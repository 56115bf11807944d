/** What a report and the page over all runs are made of. The handlers gather all of it; rendering looks nothing up. */
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
  /** Ids of the measurements whose series is a file beside the report; absent where there are no such files. */
  readonly seriesFiles?: ReadonlySet<string>;
  readonly failedPairs: readonly FailedPair[];
  /** What each pair cost; absent where there was no plan to follow. */
  readonly pairCosts?: readonly PairCost[];
  /** How the routes of the path own were before anything was measured, as far as they were probed. */
  readonly probedPaths?: readonly ProbedPath[];
  /** The comparison with all earlier runs; absent where they could not be queried. */
  readonly earlierRuns?: readonly ComparedCell<EarlierRunsCell>[];
  /** Why the earlier runs could not be queried. */
  readonly earlierRunsUnavailable?: string;
  /** The comparison with the run that the plan names, where that run has results. */
  readonly comparedRun?: ComparedRun;
  /** Absent for a plan that expects nothing. */
  readonly expectations?: RunExpectations;
  /** What a reader should know about how this report was made. */
  readonly warnings?: readonly string[];
  /** Where the rows can be queried; the report's last section shows how. */
  readonly athena?: { readonly database: string; readonly workGroup: string };
}

export interface ReportedRun extends Omit<
  RunFacts,
  'failedPairCount' | 'measurementStatuses' | 'reportUri' | 'expectationsOutcome' | 'expectationCounts'
> {
  /** UTC day of the run, which is the partition of its rows. */
  readonly day: string;
  /** The planned number; `results` may have fewer, because a host may never have been launched. */
  readonly measurementCount: number;
  /** The order in which the pairs were measured. */
  readonly order?: 'random' | 'as_written';
  /** The seed of a random order. */
  readonly seed?: number;
}

export interface FailedPair {
  readonly pairId: string;
  readonly reason: string;
}

/** What the page over all runs is made of. */
export interface IndexInput {
  readonly history: RunHistory;
  /** `watchedFigures` of the history. */
  readonly watched: readonly WatchedFigure[];
  /** Runs that the history lacks, because their documents can't be read. */
  readonly unreadable: readonly UnreadableRun[];
  /** Of the bucket that has the reports. */
  readonly region: string;
  readonly bucketName: string;
  /** ISO 8601, UTC. */
  readonly renewedAt: string;
}
