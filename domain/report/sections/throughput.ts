/** One card per throughput measurement: verdict, series, figures, witnesses, and how long a rate can be held. */
import { intervalText, type IntervalText } from '../interval-text';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { throughputOf, type ThroughputStatistics } from '../../model/statistics';
import type { Witness } from '../../model/verdict';
import { hasAllowanceCounters, allowanceSeries } from '../charts/allowance';
import { chartPair } from '../charts/svg';
import { throughputChart } from '../charts/throughput-chart';
import { gigabits, grouped, micros, percent, seconds } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { drivenStatistics } from '../verdict-table';
import { settingsInWords } from '../../model/settings';
import { pairOfTypes, zones } from '../wording';
import { spaced } from '../../text/format';
import { holdTimes } from './hold-times';
import { bucket, kindBadge, placementAndPath, statusBadge } from './verdicts';

/** With more charts the page becomes too heavy to open. The table has all measurements, and Athena all series. */
export const MAX_CHARTS = 40;

/**
 * The measurements that get a chart: all of them, or the most interesting ones if there are too many. Only their series
 * need to be loaded.
 */
export function chartedMeasurementIds(results: readonly MeasurementResult[]): readonly string[] {
  const charted = results.filter(
    ({ kind, status }) => kind === 'throughput' && (status === 'complete' || status === 'truncated'),
  );
  if (charted.length <= MAX_CHARTS) return charted.map(({ measurementId }) => measurementId);
  const ranked = charted
    .map((result, index) => ({ result, index }))
    .sort((left, right) => interest(right.result) - interest(left.result) || left.index - right.index)
    .slice(0, MAX_CHARTS)
    .sort((left, right) => left.index - right.index);
  return ranked.map(({ result }) => result.measurementId);
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
): Html | undefined {
  const all = results.filter(({ kind }) => kind === 'throughput');
  const charted = new Set(chartedMeasurementIds(results));
  const shown = all.filter(({ measurementId }) => charted.has(measurementId));
  if (shown.length === 0) return undefined;
  return html`<section id="throughput">
    <h2>Throughput over time</h2>
    <p class="lead">
      One value per second, as counted by the receiver, or by the sender where only the sender reported. The line is
      broken where seconds are
      missing.${
        all.length > MAX_CHARTS &&
        ` Only ${shown.length} of ${all.length} measurements are shown; those with a drop, a doubtful verdict or an early end come first.`
      }
    </p>
    ${shown.map((result) => card(result, seriesOf.get(result.measurementId) ?? []))}
  </section>`;
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
    <div class="two">${witnesses(result.verdict?.witnesses ?? [])}${result.verdict && holdTimes(result.verdict)}</div>
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
  const facts: (readonly [name: string, value: HtmlValue, unit: string])[] = [
    ['Mean', hasDrop ? undefined : gigabits(drivenStatistics(result)?.throughputBitsPerSecond?.mean), 'Gbit/s'],
    ['Burst, 95 % interval', inline(intervalText(verdict?.burst, gigabits), 'Gbit/s'), ''],
    ['Baseline, 95 % interval', inline(intervalText(verdict?.baseline, gigabits), 'Gbit/s'), ''],
    ['Onset, 95 % interval', inline(intervalText(verdict?.onset, seconds), 's'), ''],
    ['Bucket', bucketInline(result), ''],
    ['Credits of', whoseCredits(result), ''],
    ['Confidence', percent(verdict?.confidence), ''],
  ];
  const throughput = throughputOf(result);
  const directions: (readonly [name: string, statistics: ThroughputStatistics | undefined])[] =
    throughput?.reverse === undefined
      ? [['', throughput?.main]]
      : [
          ['forward', throughput.main],
          ['reverse', throughput.reverse],
        ];
  return html`<dl class="facts figures">
      ${facts.map(
        ([name, value, unit]) =>
          value !== undefined &&
          html`<div>
            <dt>${name}</dt>
            <dd>${value} <small>${unit}</small></dd>
          </div>`,
      )}
    </dl>
    ${directions.map(([name, each]) => html`<dl class="facts">${totals(name, each, name !== '' || hasDrop)}</dl>`)}
    ${hasAllowanceCounters(series) && allowances(series)}`;
}

function allowances(series: readonly Sample[]): Html {
  const grown = allowanceSeries(series).map(({ name, totalPackets }) => `${name} ${grouped(totalPackets)} packets`);
  return html`<dl class="facts">
    <div>
      <dt>ENA allowance exceeded</dt>
      <dd>${grown.join(', ') || 'never'}</dd>
    </div>
  </dl>`;
}

function inline(figure: IntervalText | undefined, unit: string): HtmlValue {
  if (figure === undefined) return undefined;
  const { value, low, high } = figure;
  return low === undefined || high === undefined
    ? html`${value} <small>${unit}</small>`
    : html`${value} <small>${unit}, ${low} to ${high}</small>`;
}

function bucketInline(result: MeasurementResult): HtmlValue {
  const exact = intervalText(result.verdict?.bucket, gigabits);
  if (exact !== undefined) return inline(exact, 'Gbit');
  const atLeast = bucket(result);
  return atLeast === undefined ? undefined : html`${atLeast} <small>Gbit</small>`;
}

/** The end whose credits were spent, as sender or receiver and as client or server, with its instance type. */
function whoseCredits({ verdict, clientType, serverType }: MeasurementResult): string | undefined {
  if (!verdict?.throttledBy) return undefined;
  const isClient = (verdict.throttledBy === 'sender') === (verdict.direction === 'forward');
  return `${verdict.throttledBy}: ${isClient ? `client, ${clientType}` : `server, ${serverType}`}`;
}

/** @param hasMean false where the mean already stands among the figures above */
function totals(direction: string, statistics: ThroughputStatistics | undefined, hasMean: boolean): HtmlValue {
  if (statistics === undefined) return undefined;
  const { throughputBitsPerSecond: rates, retransmits, lostPackets, sentPackets, jitterMicros } = statistics;
  const suffix = direction === '' ? '' : `, ${direction}`;
  const lost =
    lostPackets !== undefined && sentPackets !== undefined && sentPackets > 0
      ? `${grouped(lostPackets)} of ${grouped(sentPackets)} packets`
      : lostPackets?.toString();
  return [
    rates &&
      hasMean &&
      html`<div>
        <dt>Mean${suffix}</dt>
        <dd>${gigabits(rates.mean)} Gbit/s</dd>
      </div>`,
    rates &&
      html`<div>
        <dt>Median, 5th to 95th percentile${suffix}</dt>
        <dd>${gigabits(rates.p50)}, ${gigabits(rates.p5)} to ${gigabits(rates.p95)} Gbit/s</dd>
      </div>`,
    retransmits !== undefined &&
      html`<div>
        <dt>Retransmits${suffix}</dt>
        <dd>${grouped(retransmits)}</dd>
      </div>`,
    lost !== undefined &&
      html`<div>
        <dt>Lost${suffix}</dt>
        <dd>${lost}</dd>
      </div>`,
    jitterMicros !== undefined &&
      html`<div>
        <dt>Jitter${suffix}</dt>
        <dd>${micros(jitterMicros)} µs</dd>
      </div>`,
  ];
}

function witnesses(all: readonly Witness[]): Html | undefined {
  if (all.length === 0) return undefined;
  const view = (agrees: boolean | null) =>
    agrees === null
      ? { className: 'neutral', sign: '–', word: 'neutral' }
      : agrees
        ? { className: 'agrees', sign: '✓', word: 'agrees' }
        : { className: 'disagrees', sign: '✗', word: 'disagrees' };
  return html`<div>
    <h4>Witnesses</h4>
    <ul class="witnesses">
      ${all.map(({ name, agrees, detail }) => {
        const { className, sign, word } = view(agrees);
        return html`<li class="${className}">
          <span class="sign" title="${word}" aria-label="${word}">${sign}</span><span>${spaced(name)}</span
          ><span class="detail">${detail}</span>
        </li>`;
      })}
    </ul>
  </div>`;
}
