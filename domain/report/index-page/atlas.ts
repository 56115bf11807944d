/** The atlas: what every pair of types has ever been measured to do, beside what EC2 publishes of it. */
import { atlasOf, type AtlasEntry } from '../../history/atlas';
import { largest } from '../../maths/statistics';
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import { onBusyProcessors } from '../../model/contended';
import { bucketOfAnotherPair, figureByKey, type Figure } from '../../tables/figures';
import { counted, gigabits, percent } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import { reportKey } from '../../workflow/object-keys';
import type { Section } from '../page/contents';
import { reportTable, type ReportColumn } from '../page/columns';
import type { IndexInput } from '../../run/report-input';
import { LEAST_RUNS, LEAST_RUNS_OF_POSSIBLE, type HistoryChange } from '../../history/change-point';
import type { WatchedFigure } from '../../history/changes';
import { groupBy } from '../../maths/elements';
import { possibly, TOO_FEW } from '../../run/words';

/** The figures of the atlas; each run's report has all of them. */
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

/** Cells of other tools have figures that only their reports show, such as the MTU of a route. */
const isShown = ({ figures }: AtlasEntry) => SHOWN_FIGURES.some(({ key }) => figures.has(key));

export function atlasSection({ history, watched }: IndexInput): Section | undefined {
  const entries = atlasOf(history).filter(isShown);
  if (entries.length === 0) return undefined;
  return {
    id: 'atlas',
    title: 'Atlas',
    html: html`<p>
        Every pair of types that was measured, with the median over all repetitions of all runs, and the 95 % interval
        of the median from six repetitions on, unless its ends read as the median does. Repetitions that stand in
        several modes have no median; the modes are listed instead. “On busy processors” means that other work kept the
        processors of a host busy during the repetition, so that its figures may show that instead of the network. Below
        a bucket stands the interval in which another pair of the types lies, 95 times in 100. The published figures are
        those of the end that has less. The saved query <code>atlas</code> has the same and more figures, as rows.
      </p>
      <p>${LAST_CHANGE_WORDS}</p>
      ${TABLES.map(({ title, kind }) => {
        const ofKind = entries.filter(({ cell }) => cell.kind === kind);
        return (
          ofKind.length > 0 &&
          html`<div class="card">
            <h3>${title}</h3>
            ${reportTable(`Atlas: ${title.toLowerCase()}`, [...COLUMNS, lastChangeColumn(watched)], ofKind)}
          </div>`
        );
      })}`,
  };
}

/** In a table of all kinds, most columns of a row would be empty, and the others would not fit into the window. */
const TABLES: readonly { readonly title: string; readonly kind: AtlasEntry['cell']['kind'] }[] = [
  { title: 'Throughput', kind: 'throughput' },
  { title: 'Packet rates', kind: 'packets' },
  { title: 'Round trips', kind: 'latency' },
  { title: 'Routes', kind: 'conditions' },
];

const COLUMNS: readonly ReportColumn<AtlasEntry>[] = [
  {
    heading: 'Types and how they were measured',
    isRoomy: true,
    cell: ({ cell: { clientType, serverType, conditions } }) =>
      html`<b>${clientType === serverType ? clientType : `${clientType}, ${serverType}`}</b
        ><small>${conditions}</small>`,
  },
  ...SHOWN_FIGURES.map((figure): ReportColumn<AtlasEntry> => {
    return {
      heading: `${figure.name}, ${figure.unit}`,
      isNumber: true,
      cell: ({ figures }) => statisticsCell(figure, figures.get(figure.key)),
    };
  }),
  published('Published baseline, Gbit/s', 'publishedBaselineBitsPerSecond'),
  published('Published peak, Gbit/s', 'publishedPeakBitsPerSecond'),
  {
    heading: 'Runs',
    isNumber: true,
    cell: ({ runCount, figures, contendedCounts }) => {
      // A measurement that never throttled has no baseline, so the figure that most repetitions have counts them.
      const repetitions = largest([0, ...[...figures.values()].map(({ count }) => count)]);
      const contendedCount = largest([0, ...contendedCounts.values()]);
      const busy = onBusyProcessors({ contendedCount, count: repetitions });
      const several = repetitions !== runCount && html`<small>${counted(repetitions, 'repetition')}</small>`;
      return html`${runCount}${several}${busy && html`<small>${busy}</small>`}`;
    },
  },
  {
    heading: 'Last measured',
    cell: ({ lastMeasuredAt, lastRunId }) =>
      html`<a
        class="nowrap"
        href="${reportKey(lastRunId)}"
        aria-label="${lastMeasuredAt.slice(0, 10)}, report of ${lastRunId}"
        >${lastMeasuredAt.slice(0, 10)}</a
      >`,
  },
];

function published(
  heading: string,
  field: 'publishedBaselineBitsPerSecond' | 'publishedPeakBitsPerSecond',
): ReportColumn<AtlasEntry> {
  // Only bandwidth is published, so it stands beside bandwidth only.
  return {
    heading,
    isNumber: true,
    cell: ({ cell }) => (cell.kind === 'throughput' ? gigabits(cell[field]) : undefined),
  };
}

function statisticsCell(figure: Figure, statistics: RepetitionStatistics | undefined): HtmlValue {
  if (statistics === undefined) return undefined;
  const { format } = figure;
  const ofAnother = bucketOfAnotherPair(figure, statistics);
  if (ofAnother !== undefined) {
    return html`${format(statistics.median ?? statistics.min)}${small(ofAnother, format)}`;
  }
  const { median, medianInterval, modes } = statistics;
  if (median === null) return modes.map(({ centre }) => format(centre)).join(' or ');
  if (medianInterval === null) return format(median);
  const isWider = [medianInterval.low, medianInterval.high].some((end) => format(end) !== format(median));
  return html`${format(median)}${isWider && small(medianInterval, format)}`;
}

function small({ low, high }: { low: number; high: number }, format: Figure['format']): Html {
  return html`<small>${format(low)} to ${format(high)}</small>`;
}

const LAST_CHANGE_WORDS =
  'A change is a new level of the baseline, the burst, the throttle onset, the bucket or a round trip (median, p99) that ' +
  'lasts for three runs or more. Each figure has its last one, with the first run at the new level. Fewer than ' +
  `${LEAST_RUNS} runs are too few to find one. From ${LEAST_RUNS_OF_POSSIBLE} runs on, a change that is only ` +
  'possible is shown as such, with the 95 % interval of the new level: it is no alarm, and may go again with further ' +
  'runs. A run does not count if other work kept processors busy during all of its repetitions. A dash means that none ' +
  'of these figures was measured.';

function lastChangeColumn(figures: readonly WatchedFigure[]): ReportColumn<AtlasEntry> {
  const watched = groupBy(figures, ({ cell }) => cell.cell);
  return {
    heading: 'Last change',
    isRoomy: true,
    cell: ({ cell, contendedRunCount }) => {
      const left =
        contendedRunCount > 0 && html`<small>${counted(contendedRunCount, 'run')} on busy processors</small>`;
      const found = lastChanges(watched.get(cell.cell) ?? []);
      return found === undefined && left === false ? undefined : html`${found}${left}`;
    },
  };
}

function lastChanges(watched: readonly WatchedFigure[]): HtmlValue {
  const changes = watched.flatMap(({ figure, change, possibleChange }) =>
    [change, possibleChange].filter((each) => each !== undefined).map((each) => changeCell(figure, each)),
  );
  if (changes.length > 0) return changes;
  const runCount = largest([0, ...watched.map(({ points }) => points.length)]);
  if (runCount === 0) return undefined;
  if (runCount < LEAST_RUNS) return html`too few runs<small>${runCount} of at least ${LEAST_RUNS}</small>`;
  return html`none found<small>in ${counted(runCount, 'run')}</small>`;
}

function changeCell(
  { name, format, unit }: Figure,
  { certainty, before, after, direction, ratio, at, firstRunId, runCount }: HistoryChange,
): Html {
  const isPossible = certainty === 'possible';
  const sentence = `${name} ${direction === 'rise' ? 'rose' : 'fell'} by ${isPossible ? 'about ' : ''}${percent(Math.abs(ratio - 1))}`;
  const interval = isPossible && ` (95 % interval ${format(after.low)} to ${format(after.high)})`;
  return html`<div>
    ${isPossible ? possibly(sentence) : sentence}
    <small>
      from ${format(before.median)} to ${format(after.median)} ${unit}${interval}, since
      <a href="${reportKey(firstRunId)}" aria-label="${at.slice(0, 10)}, report of ${firstRunId}">${at.slice(0, 10)}</a
      >, in the newest ${after.runCount} of ${counted(runCount, 'run')}${isPossible && TOO_FEW}
    </small>
  </div>`;
}
