/** What the page over all runs is made of. */
import type { RunHistory } from '../../history/history';

export interface IndexInput {
  readonly history: RunHistory;
  /** Of the bucket that has the reports. */
  readonly region: string;
  readonly bucketName: string;
  /** ISO 8601, UTC. */
  readonly renewedAt: string;
}
