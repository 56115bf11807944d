/** The figures of articles whose measurements this service repeats today; a chart can show them over those of a run. */
import type { MeasurementResult } from '../../model/result';

export interface Article<Figures> {
  /** What was measured, by whom, where and when. */
  readonly source: string;
  /** Legend entry. */
  readonly name: string;
  /** How its measurements differ from those of today; a reader should know this before comparing. */
  readonly differs: string;
  /** How the names of the plans begin that repeat it: `Article 2013`. */
  readonly planName: string;
  readonly figuresOf: (result: MeasurementResult) => Figures | undefined;
}

/** The article's figures for a measurement, if its plan is one that repeats the article. */
export function repeatedArticle<Figures>(article: Article<Figures>, result: MeasurementResult): Figures | undefined {
  return result.planName.startsWith(article.planName) ? article.figuresOf(result) : undefined;
}
