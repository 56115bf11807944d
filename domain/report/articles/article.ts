/**
 * The figures of the articles whose measurements this service repeats on today's EC2. A chart can show them over the
 * figures of a run. Each article knows which of a run's measurements it has figures for.
 */
import type { MeasurementResult } from '../../model/result';

export interface Article<Figures> {
  /** What was measured, by whom, where and when. */
  readonly source: string;
  /** Legend entry. */
  readonly name: string;
  /** How its measurements differ from those of today; a reader should know this before comparing. */
  readonly differs: string;
  readonly figuresOf: (result: MeasurementResult) => Figures | undefined;
}
