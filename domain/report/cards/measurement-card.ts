/** Renders a card for each cell, with its repetitions inside; every mention of a measurement's id links to its card. */
import { groupBy } from '../../maths/elements';
import { cellOf } from '../../model/cell';
import { contendedShare } from '../../model/contended';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { settingsInWords } from '../../model/settings';
import { spaced, grouped, micros, kilopackets } from '../../text/format';
import { chartSeries } from '../charts/chart-series';
import { measurementChart } from '../charts/measurement-chart';
import { html, onDemand, trusted, type Html, type HtmlValue } from '../page/html';
import { encodeSeries } from '../interactive/series-codec';
import type { ReportInput } from '../../run/report-input';
import { contentionBadge, heldBackBadge, kindBadge, packetBadge, statusBadge } from '../page/columns';
import { placementAndPath } from '../page/subject';
import { factList, type Section } from '../page/table';
import { idsInShort, modelText, pairOfTypes, zones } from '../../run/words';
import { chartedMeasurementIds, fittingCharts, hasSeries } from '../../run/charted';
import { repeatedHeadline } from './repeated-headline';
import { throughputFigures, throughputHeadline, witnessKey, witnessList } from './throughput-card';
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import { latencyOf, rttOf, packetsOf } from '../../model/statistics';

/** All repetitions of a measurement, complete or not. */
type Repetitions = readonly [MeasurementResult, ...MeasurementResult[]];

/** @param showsChart whether the first card with a chart is unfolded and printed, because no other section has a chart */
export function measurementsSection(
  { results, seriesOf, seriesFiles }: ReportInput,
  { isLarge, showsChart }: { readonly isLarge: boolean; readonly showsChart: boolean },
): Section | undefined {
  if (results.length === 0) return undefined;
  const charted = new Set(chartedMeasurementIds(results));
  const seriesIn = ({ measurementId }: MeasurementResult) => seriesOf.get(measurementId) ?? [];
  const charts = fittingCharts(
    results.filter(({ measurementId }) => charted.has(measurementId)),
    (result) => chart(result, seriesIn(result)),
  );
  const withSeries = results.filter(hasSeries).length;
  // A series that is not available is not counted as left out, because its card says that it is missing.
  const isLeftOut = (result: MeasurementResult) =>
    !charted.has(result.measurementId) || (seriesIn(result).length > 0 && !charts.has(result));
  const leftOut = results.filter((result) => hasSeries(result) && isLeftOut(result)).length;
  const cells = [...groupBy(results, (result) => cellOf(result)).values()];
  const printed = showsChart ? cells.find((cell) => cell.some((result) => charts.has(result))) : undefined;
  // This text and the key of the witnesses stand once above all cards, because they are the same for each.
  const model = modelText(results.map(({ verdict }) => verdict));
  return {
    id: 'measurements',
    title: 'Measurements',
    count: results.length,
    html: html`
      <p class="lead">
        A chart shows one value per second, as counted by the receiver, or by the sender if only the sender reported.
        Gaps in a line are seconds that are
        missing.${cells.length < results.length && ' Repetitions of the same measurement share a card.'}${
          leftOut > 0 &&
          ` Only ${withSeries - leftOut} of ${withSeries} series are drawn: first those with a drop, a doubtful verdict, an early end or other zones, then the fastest and the slowest repetition of each measurement.`
        }
        ${witnessKey(results)}
      </p>
      ${model !== undefined && html`<p class="lead">${model}</p>`}
      ${cells.map((cell) => {
        const bodies = cell.map((result) => {
          const series = hasSeries(result) && !isLeftOut(result) ? seriesIn(result) : undefined;
          const files = seriesFiles?.get(result.measurementId) ?? [];
          return cardBody(result, { series, drawn: charts.get(result), files, heading: headingIn(cell, result) });
        });
        return card(cell, bodies, { isOpen: !isLarge || cell === printed, isPrinted: cell === printed });
      })}
    `,
  };
}

const NO_FIGURES = html`<p class="lead">What the tool found is in the tables above.</p>`;

function card(
  cell: Repetitions,
  bodies: readonly Html[],
  { isOpen, isPrinted }: Readonly<Record<'isOpen' | 'isPrinted', boolean>>,
): Html {
  const [first] = cell;
  const contended = contentionBadge(contendedShare(cell));
  const where = [...new Set(cell.map(zones))];
  return html`<article class="${isPrinted ? 'card measurement printed' : 'card measurement'}">
    <details ${isOpen && 'open'}>
      <summary>
        <span class="heading">
          <h3>${pairOfTypes(first)}</h3>
          ${distinct(cell.map(resultBadge))}${contended}${distinct(cell.map(earlyEndBadge))}
          <span class="headline">${repeatedHeadline(cell.map((result) => CARDS[result.kind].headline(result)))}</span>
        </span>
        <span class="sub">
          ${idsInShort(cell)}: ${where.length === 1 ? where[0] : spaced(first.zoneRelation)},
          ${placementAndPath(first)}; ${first.tool}: ${settingsInWords(first)}
        </span>
      </summary>
      ${isOpen ? bodies : onDemand(html`${bodies}`)}
    </details>
  </article>`;
}

const resultBadge = (result: MeasurementResult) => kindBadge(result) ?? packetBadge(result) ?? heldBackBadge(result);

const earlyEndBadge = ({ status }: MeasurementResult) => status !== 'complete' && statusBadge(status);

const distinct = (badges: readonly HtmlValue[]) =>
  [...new Set(badges.map((badge) => html`${badge}`.text))].map((text) => trusted(text));

/** Names a repetition within its card; undefined if it is the only one, because the head of the card then says the same. */
function headingIn(cell: Repetitions, result: MeasurementResult): Html | undefined {
  if (cell.length === 1) return undefined;
  return html`<h4 class="heading">
    ${result.measurementId} ${resultBadge(result)}${earlyEndBadge(result)}
    <span class="headline">${CARDS[result.kind].headline(result)}</span>
    <span class="sub">${zones(result)}</span>
  </h4>`;
}

interface BodyContent {
  /** Undefined where no chart is drawn. */
  readonly series?: readonly Sample[];
  readonly drawn?: Html;
  /** The files with the series, as links from the report. */
  readonly files: readonly string[];
  readonly heading?: Html;
}

/** The link target (id) is inside the folded part, so that browsers unfold the card for a reader who follows a link. */
function cardBody(result: MeasurementResult, { series, drawn, files, heading }: BodyContent): Html {
  const { measurementId, status, reason, verdict, packetVerdict, latencyVerdict } = result;
  // The explanation of a verdict already begins with the busy processors.
  const explanation = (verdict ?? packetVerdict ?? latencyVerdict)?.explanation ?? result.cpuContention;
  const warnings = result.warnings.filter((warning) => warning !== explanation);
  return html`<div id="${measurementId}" class="body">
    ${heading} ${explanation !== undefined && html`<p>${explanation}</p>`}
    ${reason !== undefined && html`<p><b>${spaced(status)}:</b> ${reason}</p>`}
    ${series && (drawn ?? html`<p class="lead">The series is not available.</p>`)}
    ${status !== 'failed' && status !== 'not_applicable' && (CARDS[result.kind].figures(result, series ?? []) ?? NO_FIGURES)}
    ${files.length > 0 && seriesLinks(files)}
    ${
      warnings.length > 0 &&
      html`<ul class="warnings">
        ${warnings.map((warning) => html`<li>${warning}</li>`)}
      </ul>`
    }
  </div>`;
}

/** The links are relative to the report, so that they work wherever its folder is copied to. */
function seriesLinks(files: readonly string[]): Html {
  const links = files.map((file, index) => html`${index > 0 && ', '}<a href="${file}">${file}</a>`);
  return html`<p class="sub files">The series as a table, in files next to this report: ${links}</p>`;
}

/** The parts of a card that depend on the kind of measurement. */
interface KindOfCard {
  readonly headline: (result: MeasurementResult) => string | undefined;
  readonly figures: (result: MeasurementResult, series: readonly Sample[]) => Html | undefined;
}

const latencyCard: KindOfCard = { headline: latencyHeadline, figures: latencyFigures };

const CARDS: Readonly<Record<MeasurementResult['kind'], KindOfCard>> = {
  throughput: { headline: throughputHeadline, figures: throughputFigures },
  packets: { headline: packetHeadline, figures: packetFigures },
  latency: latencyCard,
  conditions: latencyCard,
};

function chart(result: MeasurementResult, series: readonly Sample[]): Html | undefined {
  const drawn = measurementChart(result, series);
  const data = chartSeries(result, series);
  if (drawn === undefined || data === undefined) return undefined;
  return html`<figure class="series" data-series="${result.measurementId}">
    ${drawn}
    <script type="application/json">
      ${trusted(encodeSeries(data))}
    </script>
  </figure>`;
}

const SHOWN: readonly PercentileField[] = ['p90', 'p99', 'p99_9', 'p99_99'];

/** Percentiles that too few round trips support are left out. */
function latencyFigures(result: MeasurementResult): Html | undefined {
  const rtt = rttOf(result);
  if (rtt === undefined) return undefined;
  const observations = latencyOf(result)?.observations;
  const fact = (name: string, value: number | undefined): readonly [string, HtmlValue] => [
    name,
    value !== undefined && `${micros(value)} µs`,
  ];
  return factList([
    fact('Shortest', rtt.min),
    fact('Median', rtt.p50),
    fact('Mean', rtt.mean),
    ...SHOWN.filter((field) => isSupported(field, observations ?? 0)).map((field) =>
      fact(percentileName(field), rtt[field]),
    ),
    fact('Longest', rtt.max),
    ['Round trips', grouped(observations)],
    ['Dropped', latencyOf(result)?.droppedMessages],
  ]);
}

function latencyHeadline(result: MeasurementResult): string | undefined {
  const { p50, p99, mean } = rttOf(result) ?? {};
  const middle = micros(p50 ?? mean);
  if (middle === undefined) return undefined;
  const hasTail = p99 !== undefined && isSupported('p99', latencyOf(result)?.observations ?? 0);
  return `${p50 === undefined ? 'mean' : 'median'} ${middle}${hasTail ? `, p99 ${micros(p99)}` : ''} µs`;
}

function packetFigures(result: MeasurementResult): Html {
  const { packetVerdict } = result;
  const figures = packetsOf(result);
  const beyond = (allowance: 'PpsAllowanceExceeded' | 'ConntrackAllowanceExceeded') => {
    const [client, server] = [figures?.[`client${allowance}`], figures?.[`server${allowance}`]];
    if (client === undefined && server === undefined) return undefined;
    return `${grouped(client) ?? 'unknown'} on the client, ${grouped(server) ?? 'unknown'} on the server`;
  };
  return html`${factList([
    ['Packets beyond the packet-rate allowance', beyond('PpsAllowanceExceeded')],
    ['Packets beyond the tracked-connections allowance', beyond('ConntrackAllowanceExceeded')],
    ['Datagrams lost', grouped(figures?.lostPackets)],
    ['Retransmits', grouped(figures?.retransmits)],
  ])}
  ${witnessList(packetVerdict?.witnesses ?? [])}`;
}

function packetHeadline(result: MeasurementResult): string | undefined {
  const mean = kilopackets(packetsOf(result)?.packetsPerSecond?.mean);
  return mean === undefined ? undefined : `${mean} thousand packets/s`;
}
