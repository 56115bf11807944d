/** Cells that the tables of the page over all runs share. */
import type { FigureChange } from '../../history/changes';
import type { ShareChange } from '../../history/share-change';
import type { Bounds } from '../../maths/interval';
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import { bucketOfAnotherPair } from '../../tables/figure-facts';
import type { Figure } from '../../tables/figures';
import { reportKey } from '../../workflow/object-keys';
import { withNotes } from '../page/columns';
import { html, type HtmlValue } from '../page/html';

export const reportLink = (at: string, runId: string) =>
  html`<a class="nowrap" href="${reportKey(runId)}" aria-label="${at.slice(0, 10)}, report of ${runId}"
    >${at.slice(0, 10)}</a
  >`;

export function statisticsCell(figure: Figure, statistics: RepetitionStatistics | undefined): HtmlValue {
  if (statistics === undefined) return undefined;
  const { format } = figure;
  const ofAnother = bucketOfAnotherPair(figure, statistics);
  if (ofAnother !== undefined) return withNotes(format(statistics.median ?? statistics.min), words(ofAnother, format));
  const { median, medianInterval, modes } = statistics;
  if (median === null) return modes.map(({ centre }) => format(centre)).join(' or ');
  if (medianInterval === null) return format(median);
  const isWider = [medianInterval.low, medianInterval.high].some((end) => format(end) !== format(median));
  return withNotes(format(median), isWider && words(medianInterval, format));
}

/** The level before the last certain change, struck out, with the date of the change. */
export function levelBefore({ format }: Figure, change: FigureChange | undefined): HtmlValue {
  if (change === undefined) return undefined;
  const day = change.at.slice(0, 10);
  const level = 'shares' in change ? sharesBefore(format, change) : format(change.before.median);
  return html`<del>${level}</del> until ${day}`;
}

const sharesBefore = (format: Figure['format'], { shares: { above, earlier } }: ShareChange) =>
  `${earlier.count} of ${earlier.of} at ${above.map(format).join(' or ')}`;

const words = ({ low, high }: Bounds, format: Figure['format']) => `${format(low)} to ${format(high)}`;
