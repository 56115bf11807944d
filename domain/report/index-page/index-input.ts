/** What the page over all runs is made of. */
import type { WatchedFigure } from '../../history/changes';
import type { RunHistory, UnreadableRun } from '../../history/history';

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
