/**
 * The figures of the articles that this service repeats on today's EC2, to be laid over a run's own. An article says
 * which of a run's measurements it has a counterpart for; the others have none.
 */
import type { MeasurementResult } from '../../model/result';

export interface Article<Figures> {
  /** Who measured where and when. */
  readonly source: string;
  /** Legend entry. */
  readonly name: string;
  /** What one should know before comparing, in a sentence. */
  readonly differs: string;
  readonly figuresOf: (result: MeasurementResult) => Figures | undefined;
}
