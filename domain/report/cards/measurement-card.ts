/** Renders a card for each measurement; every mention of a measurement's id links to its card. */
import { contendedShare } from '../../model/contended';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { settingsInWords } from '../../model/settings';
import { spaced, grouped, micros, kilopackets } from '../../text/format';
import { chartSeries } from '../charts/chart-series';
import { measurementChart } from '../charts/measurement-chart';
import { html, trusted, type Html, type HtmlValue } from '../page/html';
import { encodeSeries } from '../interactive/series-codec';
import type { ReportInput } from '../../run/report-input';
import { contentionBadge, heldBackBadge, kindBadge, packetBadge, placementAndPath, statusBadge } from '../page/columns';
import { factList, type Section } from '../page/table';
import { modelText, pairOfTypes, zones } from '../../run/words';
import { chartedMeasurementIds, fittingCharts, hasSeries } from '../../run/charted';
import { throughputFigures, throughputHeadline, witnessKey, witnessList } from './throughput-card';
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import { latencyOf, rttOf, packetsOf } from '../../model/statistics';

/** With more measurements the cards are folded, so that readers find the sections after them. */
const MAX_OPEN_CARDS = 12;

export function measurementsSection({ results, seriesOf, seriesFiles }: ReportInput): Section | undefined {
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
  const isOpen = results.length <= MAX_OPEN_CARDS;
  // This text and the key of the witnesses stand once above all cards, because they are the same for each.
  const model = modelText(results.map(({ verdict }) => verdict));
  return {
    id: 'measurements',
    title: 'Measurements',
    html: html`
      <p class="lead">
        A chart has one value per second, as counted by the receiver, or by the sender where only the sender reported.
        The line is broken where seconds are
        missing.${
          leftOut > 0 &&
          ` Only ${withSeries - leftOut} of ${withSeries} series are drawn: those with a drop, a doubtful verdict, an early end or other zones come first, then the fastest and the slowest of what was repeated.`
        }
        ${witnessKey(results)}
      </p>
      ${model !== undefined && html`<p class="lead">${model}</p>`}
      ${results.map((result) => {
        const series = hasSeries(result) && !isLeftOut(result) ? seriesIn(result) : undefined;
        const files = seriesFiles?.get(result.measurementId) ?? [];
        return card(result, { series, drawn: charts.get(result), isOpen, files });
      })}
    `,
  };
}

const NO_FIGURES = html`<p class="lead">What the tool found is in the tables above.</p>`;

interface CardContent {
  /** Undefined where no chart is drawn. */
  readonly series?: readonly Sample[];
  readonly drawn?: Html;
  readonly isOpen: boolean;
  /** The files with the series, as links from the report. */
  readonly files: readonly string[];
}

/** The link target (id) is inside the folded part, so that browsers unfold the card for a reader who follows a link. */
function card(result: MeasurementResult, { series, drawn, isOpen, files }: CardContent): Html {
  const { measurementId, status, reason, verdict, packetVerdict, latencyVerdict } = result;
  // The explanation of a verdict already begins with the busy processors.
  const explanation = (verdict ?? packetVerdict ?? latencyVerdict)?.explanation ?? result.cpuContention;
  const warnings = result.warnings.filter((warning) => warning !== explanation);
  return html`<article class="card measurement">
    <details ${isOpen && 'open'}>
      <summary>
        <span class="heading">
          <h3>${pairOfTypes(result)}</h3>
          ${kindBadge(result) ?? packetBadge(result) ?? heldBackBadge(result)}${contentionBadge(contendedShare([result]))}${status !== 'complete' && statusBadge(status)}
          <span class="headline">${CARDS[result.kind].headline(result)}</span>
        </span>
        <span class="sub">
          ${measurementId}: ${zones(result)}, ${placementAndPath(result)}; ${result.tool}: ${settingsInWords(result)}
        </span>
      </summary>
      <div id="${measurementId}" class="body">
        ${explanation !== undefined && html`<p>${explanation}</p>`}
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
      </div>
    </details>
  </article>`;
}

/** The links are relative to the report, so that they work wherever its folder is copied to. */
function seriesLinks(files: readonly string[]): Html {
  const links = files.map((file, index) => html`${index > 0 && ', '}<a href="${file}">${file}</a>`);
  return html`<p class="sub files">The series as a table, beside this report: ${links}</p>`;
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
    ['Beyond the packet-rate allowance', beyond('PpsAllowanceExceeded')],
    ['Beyond the allowance of tracked connections', beyond('ConntrackAllowanceExceeded')],
    ['Datagrams lost', grouped(figures?.lostPackets)],
    ['Retransmits', grouped(figures?.retransmits)],
  ])}
  ${witnessList(packetVerdict?.witnesses ?? [])}`;
}

function packetHeadline(result: MeasurementResult): string | undefined {
  const mean = kilopackets(packetsOf(result)?.packetsPerSecond?.mean);
  return mean === undefined ? undefined : `${mean} thousand packets/s`;
}
