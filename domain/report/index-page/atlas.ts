/** Renders the atlas: all measured figures of every pair of types, beside the figures that EC2 publishes. */
import { atlasOf, type AtlasEntry } from '../../history/atlas';
import { largest } from '../../maths/statistics';
import type { Bounds } from '../../maths/interval';
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import { onBusyProcessors } from '../../model/contended';
import { bucketOfAnotherPair, figureByKey, type Figure } from '../../tables/figures';
import { MOST_REPETITIONS } from '../../tables/query-text';
import { counted, gigabits, percent } from '../../text/format';
import { reportKey } from '../../workflow/object-keys';
import { withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import { card, column, numberColumn, reportTable, roomyColumn, type ReportColumn, type Section } from '../page/table';
import type { IndexInput } from '../../run/report-input';
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
  const entries = atlasOf(history).filter(isShown);
  if (entries.length === 0) return undefined;
  return {
    id: 'atlas',
    title: 'Atlas',
    html: html`<p>
        Every pair of types that was measured, with the median over the repetitions of all runs (the newest
        ${MOST_REPETITIONS}), and the 95 % interval of the median from six repetitions on, unless its ends read as the
        median does. Repetitions that stand in several modes have no median; the modes are listed instead. “On busy
        processors” means that other work kept the processors of a host busy during the repetition, so that its figures
        may show that instead of the network. Below a bucket stands the interval in which another pair of the types
        lies, 95 times in 100. The published figures are those of the end that has less. The saved query
        <code>atlas</code> has the same and more figures, as rows.
      </p>
      <p>${LAST_CHANGE_WORDS}</p>
      ${TABLES.map(({ title, kind }) => {
        const ofKind = entries.filter(({ cell }) => cell.kind === kind);
        const columns = [...COLUMNS, lastChangeColumn(watched)];
        return ofKind.length > 0 && card(title, reportTable(`Atlas: ${title.toLowerCase()}`, columns, ofKind));
      })}`,
  };
}

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
    numberColumn<AtlasEntry>(`${figure.name}, ${figure.unit}`, ({ figures }) =>
      statisticsCell(figure, figures.get(figure.key)),
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

const reportLink = (at: string, runId: string) =>
  html`<a class="nowrap" href="${reportKey(runId)}" aria-label="${at.slice(0, 10)}, report of ${runId}"
    >${at.slice(0, 10)}</a
  >`;

/** The published figures are bandwidths, so they are shown only beside throughput. */
function published(
  name: string,
  field: 'publishedBaselineBitsPerSecond' | 'publishedPeakBitsPerSecond',
): ReportColumn<AtlasEntry> {
  return numberColumn(`Published ${name}, Gbit/s`, ({ cell }) =>
    cell.kind === 'throughput' ? gigabits(cell[field]) : undefined,
  );
}

function statisticsCell(figure: Figure, statistics: RepetitionStatistics | undefined): HtmlValue {
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

const words = ({ low, high }: Bounds, format: Figure['format']) => `${format(low)} to ${format(high)}`;

const LAST_CHANGE_WORDS =
  'A change is a new level of the baseline, the burst, the throttle onset, the bucket or a round trip (median, p99) that ' +
  'lasts for three runs or more. Each figure has its last one, with the first run at the new level. Fewer than ' +
  `${LEAST_RUNS} runs are too few to find one. From ${LEAST_RUNS_OF_POSSIBLE} runs on, a change that is only ` +
  'possible is shown as such, with the 95 % interval of the new level: it is no alarm, and may go again with further ' +
  'runs. A run does not count if other work kept processors busy during all of its repetitions. A dash means that none ' +
  'of these figures was measured.';

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
  return withNotes('none found', `in ${counted(runCount, 'run')}`);
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
