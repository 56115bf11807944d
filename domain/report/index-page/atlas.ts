/** Renders the atlas: all measured figures of every pair of types, beside the figures that EC2 publishes. */
import { atlasOf, type AtlasEntry } from '../../history/atlas';
import { largest } from '../../maths/statistics';
import { onBusyProcessors } from '../../model/contended';
import { figureByKey, type Figure } from '../../tables/figures';
import { MOST_REPETITIONS } from '../../tables/query-text';
import { counted, gigabits, lowerFirst, percent } from '../../text/format';
import { withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import { card, column, numberColumn, reportTable, roomyColumn, type ReportColumn, type Section } from '../page/table';
import { levelBefore, reportLink, statisticsCell } from './cells';
import type { IndexInput } from '../../run/report-input';
import { LEAST_SIZE } from '../../history/level-change';
import { smallestDetectable } from '../../history/smallest-detectable';
import { LEAST_RUNS, LEAST_RUNS_OF_POSSIBLE, type HistoryChange } from '../../history/change-point';
import type { FigureChange, WatchedFigure } from '../../history/changes';
import type { ShareChange } from '../../history/share-change';
import { groupBy } from '../../maths/elements';
import { possibly, sharesInWords, TOO_FEW } from '../../run/words';

/** The atlas shows only these figures; the report of each run has all. */
const SHOWN_FIGURES: readonly Figure[] = [
  'meanBitsPerSecond',
  'burstBitsPerSecond',
  'baselineBitsPerSecond',
  'onsetSeconds',
  'bucketBits',
  'burstPacketsPerSecond',
  'baselinePacketsPerSecond',
  'transactionsPerSecond',
  'rttP50Micros',
  'rttP99Micros',
].map(figureByKey);

/** Leaves out cells that have none of the figures, such as those that only measure the MTU of a route. */
const isShown = ({ figures }: AtlasEntry) => SHOWN_FIGURES.some(({ key }) => figures.has(key));

export function atlasSection({ history, watched }: IndexInput): Section | undefined {
  const entries = atlasOf(history, watched).filter(isShown);
  if (entries.length === 0) return undefined;
  return {
    id: 'atlas',
    title: 'Atlas',
    html: html`${TABLES.map(({ title, kind }) => {
      const ofKind = entries.filter(({ cell }) => cell.kind === kind);
      const columns = [...COLUMNS, lastChangeColumn(watched)];
      return ofKind.length > 0 && card(title, reportTable(`Atlas: ${title.toLowerCase()}`, columns, ofKind));
    })}
    ${card('How to read the tables', DEFINITIONS)}`,
  };
}

/** Below the tables, so that the figures come first. */
const DEFINITIONS = html`<ul>
  <li>
    Figures are medians over all runs since the figure’s last certain change (at most the newest ${MOST_REPETITIONS}
    repetitions). With six repetitions or more, the small range is the 95 % interval of the median. “5.02 or 9.69” means
    that results cluster around two values.
  </li>
  <li>The small range of a bucket covers the buckets of 95 in 100 other pairs of the same types.</li>
  <li>Published: AWS’s figure for the slower of the two instances. – means not measured.</li>
  <li>
    A change is a new level of the baseline, the burst, the throttle onset, the bucket or a round trip (median, p99), or
    a new share of pairs at each of two levels. It lasts for three runs or more, and can be found after ${LEAST_RUNS}
    runs. From ${LEAST_RUNS_OF_POSSIBLE} runs on, a possible change is shown: it raises no alarm, and more runs may rule
    it out.
  </li>
  <li>“9 % would be seen”: three runs would show a change of this size in 95 of 100 cases.</li>
  <li>
    On busy processors: other work kept the processors of a host busy, so the figures may show that instead of the
    network. If this was so in all repetitions of a run, the run is left out of the search for changes.
  </li>
  <li>The saved query <code>atlas</code> has the same figures and more.</li>
</ul>`;

/** A table for each kind, because in a common table most columns of a row would be empty. */
const TABLES: readonly { readonly title: string; readonly kind: AtlasEntry['cell']['kind'] }[] = [
  { title: 'Throughput', kind: 'throughput' },
  { title: 'Packet rates', kind: 'packets' },
  { title: 'Round trips', kind: 'latency' },
  { title: 'Routes', kind: 'conditions' },
];

const COLUMNS: readonly ReportColumn<AtlasEntry>[] = [
  roomyColumn('Types and how they were measured', ({ cell: { clientType, serverType, conditions } }) =>
    withNotes(html`<b>${clientType === serverType ? clientType : `${clientType}, ${serverType}`}</b>`, conditions),
  ),
  ...SHOWN_FIGURES.map((figure) =>
    numberColumn<AtlasEntry>(`${figure.name}, ${figure.unit}`, ({ figures, changes }) =>
      withNotes(statisticsCell(figure, figures.get(figure.key)), levelBefore(figure, changes.get(figure.key))),
    ),
  ),
  published('baseline', 'publishedBaselineBitsPerSecond'),
  published('peak', 'publishedPeakBitsPerSecond'),
  numberColumn('Runs', ({ runCount, figures, contendedCounts }) => {
    // Not every repetition has every figure (no throttle, no baseline), so the figure with the most values counts them.
    const repetitions = largest([0, ...[...figures.values()].map(({ count }) => count)]);
    const contendedCount = largest([0, ...contendedCounts.values()]);
    const several = repetitions !== runCount && counted(repetitions, 'repetition');
    return withNotes(runCount, several, onBusyProcessors({ contendedCount, count: repetitions }));
  }),
  column('Last measured', ({ lastMeasuredAt, lastRunId }) => reportLink(lastMeasuredAt, lastRunId)),
];

/** The published figures are bandwidths, so they are shown only beside throughput. */
function published(
  name: string,
  field: 'publishedBaselineBitsPerSecond' | 'publishedPeakBitsPerSecond',
): ReportColumn<AtlasEntry> {
  return numberColumn(`Published ${name}, Gbit/s`, ({ cell }) =>
    cell.kind === 'throughput' ? gigabits(cell[field]) : undefined,
  );
}

function lastChangeColumn(figures: readonly WatchedFigure[]): ReportColumn<AtlasEntry> {
  const watched = groupBy(figures, ({ cell }) => cell.cell);
  return roomyColumn('Last change', ({ cell, contendedRunCount }) =>
    withNotes(
      lastChanges(watched.get(cell.cell) ?? []),
      contendedRunCount > 0 && `${counted(contendedRunCount, 'run')} on busy processors`,
    ),
  );
}

function lastChanges(watched: readonly WatchedFigure[]): HtmlValue {
  const changes = watched.flatMap(({ figure, change, possibleChange }) =>
    [change, possibleChange].filter((each) => each !== undefined).map((each) => changeCell(figure, each)),
  );
  if (changes.length > 0) return changes;
  const runCount = largest([0, ...watched.map(({ points }) => points.length)]);
  if (runCount === 0) return undefined;
  if (runCount < LEAST_RUNS) return withNotes('too few runs', `${runCount} of at least ${LEAST_RUNS}`);
  const seen = wouldBeSeen(watched);
  return withNotes(`none of ${LEAST_PERCENT} % or more`, `in ${counted(runCount, 'run')}${seen}`);
}

const LEAST_PERCENT = Math.round(100 * Math.expm1(LEAST_SIZE));

/** `; 9 % would be seen`, or by figure where they differ: `; would be seen: baseline 9 %, throttle onset 12 %` */
function wouldBeSeen(watched: readonly WatchedFigure[]): string {
  const sizes = watched.flatMap(({ figure, points, change }) => {
    const smallest = smallestDetectable(points, { change });
    return smallest === undefined ? [] : [{ name: lowerFirst(figure.name), words: `${Math.ceil(100 * smallest)} %` }];
  });
  const [first, ...others] = sizes;
  if (first === undefined) return '';
  const isOneSize = sizes.length === watched.length && others.every(({ words }) => words === first.words);
  if (isOneSize) return `; ${first.words} would be seen`;
  return `; would be seen: ${sizes.map(({ name, words }) => `${name} ${words}`).join(', ')}`;
}

function changeCell(figure: Figure, change: FigureChange): Html {
  const { certainty, after, at, firstRunId, runCount } = change;
  const isPossible = certainty === 'possible';
  const { sentence, levels } = 'shares' in change ? ofShares(figure, change) : ofLevel(figure, change);
  return html`<div>
    ${isPossible ? possibly(sentence) : sentence}
    <small>
      ${levels}since ${reportLink(at, firstRunId)}, in the newest ${after.runCount} of
      ${counted(runCount, 'run')}${isPossible && TOO_FEW}
    </small>
  </div>`;
}

const ofShares = (figure: Figure, { shares }: ShareChange) => ({
  sentence: `${figure.name}: ${sharesInWords(figure, shares)}`,
  levels: '',
});

function ofLevel(
  { name, format, unit }: Figure,
  { certainty, before, after, direction, ratio }: HistoryChange,
): { readonly sentence: string; readonly levels: string } {
  const isPossible = certainty === 'possible';
  const interval = isPossible ? ` (95 % interval ${format(after.low)} to ${format(after.high)})` : '';
  return {
    sentence: `${name} ${direction === 'rise' ? 'rose' : 'fell'} by ${isPossible ? 'about ' : ''}${percent(Math.abs(ratio - 1))}`,
    levels: `from ${format(before.median)} to ${format(after.median)} ${unit}${interval}, `,
  };
}
