/** The table of what changed between two runs, for the report and for the page over all runs, whose script has it too. */
import type { Bounds } from '../../maths/interval';
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import { judgedFigures, TOO_SMALL, type FigureChange } from '../../repetitions/compared-figures';
import type { ComparisonBasis } from '../../repetitions/figure-change';
import { chanceInWords, sharesInWords } from '../../run/words';
import { bucketOfAnotherPair, FIGURE_FACTS, type FigureFacts } from '../../tables/figure-facts';
import { counted } from '../../text/format';
import { badge, withNotes } from './columns';
import { html, type Html, type HtmlValue } from './html';
import { column, numberColumn, reportTable } from './table';

export interface ChangeRow {
  readonly change: FigureChange;
  readonly figure: FigureFacts;
  readonly cellIndex: number;
  /** Whether a side has repetitions on the same pair. */
  readonly sharesPairs: boolean;
}

interface ChangedCell {
  readonly figures: readonly FigureChange[];
  readonly sharesPairs: boolean;
}

export const changeRows = (cells: readonly ChangedCell[]): ChangeRow[] =>
  cells.flatMap(({ figures, sharesPairs }, cellIndex) =>
    figures.flatMap((change) => {
      const figure = FIGURE_FACTS.find(({ key }) => key === change.figure);
      return figure === undefined ? [] : { change, figure, cellIndex, sharesPairs };
    }),
  );

/** `2 of 8 figures changed beyond the noise.` */
export function changedCount(cells: readonly ChangedCell[]): Html | undefined {
  const { figureCount, judged, changed } = judgedFigures(cells);
  const unknown = figureCount - judged.length;
  if (judged.length === 0) return undefined;
  return html`<b>${changed.length} of ${counted(judged.length, 'figure')}</b> changed beyond the
    noise.${unknown > 0 && ` For ${unknown} more, the noise is not known.`}`;
}

/** @param titles of the cells */
export function changeTable(
  label: string,
  rows: readonly ChangeRow[],
  titles: readonly HtmlValue[],
  later = 'Now',
): Html {
  return reportTable<ChangeRow>(
    label,
    [
      figureColumn,
      numberColumn('Earlier', ({ figure, change }) => side(figure, change.earlier)),
      numberColumn(later, ({ figure, change }) => side(figure, change.now)),
      numberColumn('Change (95 %)', difference),
      column('Beyond the noise?', judgement),
    ],
    rows,
    { groups: { by: ({ cellIndex }) => cellIndex, title: ({ cellIndex }) => titles[cellIndex] } },
  );
}

export const figureColumn = column<{ readonly figure: FigureFacts }>('Figure', ({ figure: { name, unit } }) =>
  withNotes(name, unit),
);

/** `9.48 (9.31–9.65), n 5`, or `5.01 ×2, 9.48 ×3` for two modes. */
export function inShort(figure: FigureFacts, { mean, meanInterval, modes: all, count }: RepetitionStatistics): string {
  if (mean === null) return all.map((mode) => `${figure.format(mode.centre)} ×${mode.count}`).join(', ');
  return `${figure.format(mean)}${meanInterval === null ? '' : ` (${between(figure, meanInterval)})`}, n ${count}`;
}

export const between = (figure: FigureFacts, { low, high }: Bounds) => `${figure.format(low)}–${figure.format(high)}`;

/** Shows the figure of one side; a bucket also has the interval in which another pair's bucket lies. */
function side(figure: FigureFacts, statistics: FigureChange['now']): Html {
  const other = bucketOfAnotherPair(figure, statistics);
  return withNotes(inShort(figure, statistics), other && `another pair: ${between(figure, other)}`);
}

function difference({ figure, change, sharesPairs }: ChangeRow): HtmlValue {
  const { difference: value, interval, ratio, shares } = change;
  if (shares !== undefined) return sharesInWords(figure, shares, sharesPairs ? 'measurements' : 'pairs');
  if (value === null) return undefined;
  const share = relative(ratio);
  return html`${signed(figure, value)}${share !== undefined && html` <small>${share}</small>`}${
    interval && html`<small class="nowrap">${signed(figure, interval.low)} to ${signed(figure, interval.high)}</small>`
  }`;
}

function signed({ format }: FigureFacts, value: number): string {
  const text = format(Math.abs(value));
  return Number(text) === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
}

function relative(ratio: number | null): string | undefined {
  if (ratio === null || ratio === 1) return undefined;
  const percent = Math.abs(ratio - 1) * 100;
  return `${ratio > 1 ? '+' : '−'}${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

const NO_INTERVAL: Readonly<Partial<Record<ComparisonBasis, string>>> = {
  single_measurement: 'no interval, because one side is a single measurement',
  several_modes: 'the same pairs were in several modes; another pair may be in any of them',
};

function judgement({ change, sharesPairs }: ChangeRow): Html {
  const { basis, isBeyondNoise, interval, chance, difference: value, matters } = change;
  if (isBeyondNoise === null) return withNotes(undefined, NO_INTERVAL[basis]);
  const reservation =
    RESERVATIONS[basis] ?? (sharesPairs ? 'repeated on the same pair; another pair may differ by more' : undefined);
  const isAlone = !isBeyondNoise && interval !== null && value !== 0 && (interval.low > 0 || interval.high < 0);
  return withNotes(
    badge(isBeyondNoise ? 'warn' : '', isBeyondNoise ? 'beyond the noise' : 'within the noise'),
    isBeyondNoise && matters === false && TOO_SMALL,
    basis === 'several_modes' && chance !== null && chanceInWords(chance),
    isAlone && 'by itself this would be beyond the noise; among all compared figures it may be chance',
    reservation,
  );
}

const RESERVATIONS: Readonly<Partial<Record<ComparisonBasis, string>>> = {
  zones: 'compared zone by zone',
  one_repeated: 'one side is a single measurement; repetitions of it may vary as much as those of the other side',
  own_intervals: 'single measurements, judged by their own intervals and the recorded differences between pairs',
};
