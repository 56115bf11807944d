/** The atlas: what every pair of types has ever been measured to do, beside what EC2 publishes of it. */
import { atlasOf, type AtlasEntry } from '../../history/atlas';
import { largest } from '../../maths/extremes';
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import { onBusyProcessors } from '../../model/contended';
import { bucketOfAnotherPair, figureByKey, type Figure } from '../../tables/figures';
import { counted, gigabits } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import { reportKey } from '../../workflow/object-keys';
import type { Section } from '../section';
import { reportTable, type ReportColumn } from '../page/table-columns';
import type { IndexInput } from '../../run/report-input';
import { lastChangeColumn, LAST_CHANGE_WORDS } from './last-change';

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
