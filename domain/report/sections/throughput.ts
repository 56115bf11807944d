/** One card per throughput measurement: verdict, series, figures, witnesses, and how long a rate can be held. */
import type { Interval } from '../../maths/interval';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { settingsInWords } from '../../model/settings';
import { throughputOf, type ThroughputStatistics } from '../../model/statistics';
import type { Verdict, Witness } from '../../model/verdict';
import { gigabits, grouped, micros, percent, seconds, spaced } from '../../text/format';
import { allowanceSeries, hasAllowanceCounters } from '../charts/panels';
import { chartPair } from '../charts/svg';
import { throughputChart } from '../charts/throughput-chart';
import { html, type Html, type HtmlValue } from '../html';
import type { Section } from '../section';
import { factList, reportTable } from '../table';
import { drivenStatistics } from '../verdict-table';
import { heldInterval, heldText, intervalText, pairOfTypes, refillText, zones } from '../wording';
import { bucket, kindBadge, placementAndPath, statusBadge } from './verdicts';

/** With more charts the page becomes too heavy to open. The table has all measurements, and Athena all series. */
export const MAX_CHARTS = 40;

/** The measurements that get a chart, and whose series are needed: all, or the most interesting ones of too many. */
export function chartedMeasurementIds(results: readonly MeasurementResult[]): readonly string[] {
  const charted = results.filter(
    ({ kind, status }) =>
      (kind === 'throughput' || kind === 'packets') && (status === 'complete' || status === 'truncated'),
  );
  // The sort is stable, so of equally interesting ones the first are taken.
  const mostInteresting = [...charted].sort((left, right) => interest(right) - interest(left)).slice(0, MAX_CHARTS);
  return charted.filter((result) => mostInteresting.includes(result)).map(({ measurementId }) => measurementId);
}

/** A drop, a doubtful verdict or an early end is more interesting than one more steady line. */
function interest({ verdict, status }: MeasurementResult): number {
  const hasDrop = (verdict?.onset ?? null) !== null;
  const isDisputed = verdict?.witnesses.some(({ agrees }) => agrees === false) ?? false;
  const isUnusual = verdict?.kind !== 'steady';
  return Number(hasDrop) * 4 + Number(isDisputed) * 4 + Number(status === 'truncated') * 2 + Number(isUnusual);
}

export function throughputSection(
  results: readonly MeasurementResult[],
  seriesOf: ReadonlyMap<string, readonly Sample[]>,
): Section | undefined {
  const all = results.filter(({ kind }) => kind === 'throughput');
  const charted = new Set(chartedMeasurementIds(results));
  const shown = all.filter(({ measurementId }) => charted.has(measurementId));
  if (shown.length === 0) return undefined;
  return {
    id: 'throughput',
    title: 'Throughput over time',
    html: html`
      <p class="lead">
        One value per second, as counted by the receiver, or by the sender where only the sender reported. The line is
        broken where seconds are
        missing.${
          all.length > MAX_CHARTS &&
          ` Only ${shown.length} of ${all.length} measurements are shown; those with a drop, a doubtful verdict or an early end come first.`
        }
      </p>
      ${shown.map((result) => card(result, seriesOf.get(result.measurementId) ?? []))}
    `,
  };
}

function card(result: MeasurementResult, series: readonly Sample[]): Html {
  const chart = chartPair((form) => throughputChart(result, series, form));
  return html`<article class="card" id="${result.measurementId}">
    <div class="heading">
      <h3>${pairOfTypes(result)}</h3>
      ${kindBadge(result)}${result.status !== 'complete' && statusBadge(result.status)}
    </div>
    <p class="sub">
      ${result.measurementId}: ${zones(result)}, ${placementAndPath(result)}; ${result.tool}: ${settingsInWords(result)}
    </p>
    ${result.verdict && html`<p>${result.verdict.explanation}</p>`}
    ${result.reason !== undefined && html`<p><b>${spaced(result.status)}:</b> ${result.reason}</p>`}
    ${chart ?? html`<p class="lead">The series is not available.</p>`} ${figures(result, series)}
    <div class="two">${witnessList(result.verdict?.witnesses ?? [])}${result.verdict && holdTimes(result.verdict)}</div>
    ${
      result.warnings.length > 0 &&
      html`<ul class="warnings">
        ${result.warnings.map((warning) => html`<li>${warning}</li>`)}
      </ul>`
    }
  </article>`;
}

function figures(result: MeasurementResult, series: readonly Sample[]): Html {
  const { verdict } = result;
  const hasDrop = (verdict?.onset ?? null) !== null;
  const mean = hasDrop ? undefined : gigabits(drivenStatistics(result)?.throughputBitsPerSecond?.mean);
  const { main, reverse } = throughputOf(result) ?? {};
  const grown = allowanceSeries(series).map(({ name, totalPackets }) => `${name} ${grouped(totalPackets)} packets`);
  return html`${factList(
    [
      ['Mean', withUnit(mean, 'Gbit/s')],
      ['Burst, 95 % interval', withInterval(verdict?.burst, gigabits, 'Gbit/s')],
      ['Baseline, 95 % interval', withInterval(verdict?.baseline, gigabits, 'Gbit/s')],
      ['Onset, 95 % interval', withInterval(verdict?.onset, seconds, 's')],
      ['Bucket', withInterval(verdict?.bucket, gigabits, 'Gbit') ?? withUnit(bucket(result), 'Gbit')],
      ['Credits of', whoseCredits(result)],
      ['Confidence', percent(verdict?.confidence)],
    ],
    'facts figures',
  )}
  ${main && totals(main, reverse === undefined ? '' : ', forward', hasDrop || reverse !== undefined)}
  ${reverse && totals(reverse, ', reverse', true)}
  ${hasAllowanceCounters(series) && factList([['ENA allowance exceeded', grown.join(', ') || 'never']])}`;
}

function withUnit(text: string | undefined, unit: string): Html | undefined {
  return text === undefined ? undefined : html`${text} <small>${unit}</small>`;
}

function withInterval(interval: Interval | null | undefined, format: (value: number) => string, unit: string) {
  const text = intervalText(interval, format);
  return text && withUnit(text.value, `${unit}, ${text.low} to ${text.high}`);
}

/** The end whose credits were spent, as sender or receiver and as client or server, with its instance type. */
function whoseCredits({ verdict, clientType, serverType }: MeasurementResult): string | undefined {
  if (!verdict?.throttledBy) return undefined;
  const isClient = (verdict.throttledBy === 'sender') === (verdict.direction === 'forward');
  return `${verdict.throttledBy}: ${isClient ? `client, ${clientType}` : `server, ${serverType}`}`;
}

/** @param hasMean false where the mean already stands among the figures above */
function totals(statistics: ThroughputStatistics, direction: string, hasMean: boolean): Html {
  const { throughputBitsPerSecond: rates, retransmits, lostPackets, sentPackets, jitterMicros } = statistics;
  const ofPackets = sentPackets !== undefined && sentPackets > 0 ? ` of ${grouped(sentPackets)} packets` : '';
  const facts: (readonly [name: string, value: HtmlValue])[] = [
    ['Mean', hasMean && rates && `${gigabits(rates.mean)} Gbit/s`],
    [
      'Median, 5th to 95th percentile',
      rates?.p50 !== undefined && html`${gigabits(rates.p50)}, ${gigabits(rates.p5)} to ${gigabits(rates.p95)} Gbit/s`,
    ],
    ['Retransmits', grouped(retransmits)],
    ['Lost', lostPackets !== undefined && `${grouped(lostPackets)}${ofPackets}`],
    ['Jitter', jitterMicros !== undefined && `${micros(jitterMicros)} µs`],
  ];
  return factList(facts.map(([name, value]) => [`${name}${direction}`, value]));
}

export function witnessList(all: readonly Witness[]): Html | undefined {
  if (all.length === 0) return undefined;
  return html`<div>
    <h4>Witnesses</h4>
    <ul class="witnesses">
      ${all.map(({ name, agrees, detail }) => {
        const [word, sign] = agrees === null ? ['neutral', '–'] : agrees ? ['agrees', '✓'] : ['disagrees', '✗'];
        return html`<li class="${word}">
          <span class="sign" title="${word}" aria-label="${word}">${sign}</span><span>${spaced(name)}</span
          ><span class="detail">${detail}</span>
        </li>`;
      })}
    </ul>
  </div>`;
}

/** How long a rate can be held from full credits, and how long the credits take to refill. */
function holdTimes(verdict: Verdict): Html | undefined {
  if (verdict.holdTimes.length === 0) return undefined;
  const table = reportTable(
    [
      { heading: 'Gbit/s', cell: ({ bitsPerSecond }) => gigabits(bitsPerSecond) },
      { heading: 'From full credits', isNumber: true, cell: heldText },
      { heading: '95 % interval', isNumber: true, cell: heldInterval },
    ],
    verdict.holdTimes,
    { stacksOnPhones: false },
  );
  return html`<div>
    <h4>How long can a rate be held?</h4>
    ${table}
    <p class="sub">${refillText(verdict)}</p>
  </div>`;
}
