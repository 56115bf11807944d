/**
 * The report of a run: one HTML file without script, font or any other request, readable on a phone, in the dark and on paper.
 */
import type { MeasurementResult } from '../model/result';
import { cellsOf } from './cells';
import { counted, instant } from '../text/format';
import type { Html } from './html';
import { html, trusted } from './html';
import type { ReportInput } from './report-input';
import { earlierRunsSection, runComparisonSection } from './sections/comparison';
import { athenaSection, caveatsSection } from './sections/closing';
import { chartsSection } from './sections/charts';
import { conditionsSection } from './sections/conditions';
import { latencySection } from './sections/latency';
import { loadedLatencySection } from './sections/loaded-latency';
import { repetitionsSection } from './sections/repetitions';
import { routesSection } from './sections/routes';
import { streamsSection } from './sections/streams';
import { throughputSection } from './sections/throughput';
import { verdictSection } from './sections/verdicts';
import { STYLE } from './style';
import { NOTHING_APPLICABLE } from './summary';
import { pairOfTypes } from './wording';
import { spaced } from '../text/format';

export { chartedMeasurementIds } from './sections/throughput';
export type { ReportInput } from './report-input';

/** Nothing is fetched, nothing is run: said to the browser too, should a value ever get past the escaping. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function renderReport(input: ReportInput): string {
  const { run, results, seriesOf } = input;
  const cells = cellsOf(results);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}" />
        <title>${run.planName}: ${spaced(run.outcome)} (${run.runId})</title>
        <style>
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        ${pageHeader(input)}
        <main>
          ${notMeasured(input)} ${verdictSection(results)} ${chartsSection(cells)} ${repetitionsSection(cells)}
          ${streamsSection(cells)} ${throughputSection(results, seriesOf)} ${loadedLatencySection(results)}
          ${latencySection(results)} ${routesSection(results)} ${runComparisonSection(input)}
          ${earlierRunsSection(input)} ${conditionsSection(input)} ${caveatsSection()} ${athenaSection(input)}
        </main>
        <footer>EC2 Network Bench, run ${run.runId}</footer>
      </body>
    </html> `;
  return page.text;
}

function pageHeader({ run, results }: ReportInput): Html {
  const tone = { complete: 'good', incomplete: 'bad', failed: 'bad', dry_run: '' }[run.outcome];
  const complete = results.filter(({ status }) => status === 'complete').length;
  const facts: (readonly [name: string, value: string | undefined])[] = [
    ['Run', run.runId],
    ['Planned', instant(run.createdAt)],
    ['Ended', run.endedAt && instant(run.endedAt)],
    ['Pairs', `${run.pairCount}, at most ${run.concurrency} at a time`],
    ['Order', orderWords(run)],
    ['Price, as planned', priceWords(run)],
    ['Repetitions', run.repetitions > 1 ? `${run.repetitions}, each on a fresh pair` : undefined],
    ['Measurements', `${complete} of ${counted(run.measurementCount, 'measurement')} complete`],
  ];
  return html`<header class="page">
    <p class="product">EC2 Network Bench</p>
    <div class="heading">
      <h1>${run.planName}</h1>
      <span class="badge ${tone}">${spaced(run.outcome)}</span>
    </div>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          value !== undefined &&
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </header>`;
}

function orderWords({ order, seed }: ReportInput['run']): string | undefined {
  if (order === undefined) return undefined;
  return order === 'random' ? `random, seed ${seed}` : 'as written';
}

function priceWords({ expectedUsd, upperUsd }: ReportInput['run']): string | undefined {
  if (expectedUsd === undefined || upperUsd === undefined) return undefined;
  const usd = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(2)} USD`);
  return `${usd(expectedUsd)}, at most ${usd(upperUsd)}`;
}

/** What is missing stands above what is there. */
function notMeasured({ run, results, failedPairs, warnings = [] }: ReportInput): Html {
  // A failed pair's reason is mostly that of its measurement: said once.
  const isSaid = ({ pairId, reason }: MeasurementResult) =>
    reason !== undefined && failedPairs.some((pair) => pair.pairId === pairId && pair.reason.includes(reason));
  const failed = results.filter((result) => result.status === 'failed' && !isSaid(result));
  const truncated = results.filter((result) => result.status === 'truncated' && !isSaid(result));
  const notApplicable = results.filter(({ status }) => status === 'not_applicable');
  const interrupted = run.interruptedReason ?? undefined;
  return html`${
    interrupted !== undefined &&
    html`<div class="alert">
      <h2>The run ended before its time</h2>
      ${interrupted}
    </div>`
  }
  ${
    failedPairs.length > 0 &&
    html`<div class="alert">
      <h2>${counted(failedPairs.length, 'pair')} failed</h2>
      <ul>
        ${failedPairs.map(({ pairId, reason }) => html`<li><b>${pairId}</b>: ${reason}</li>`)}
      </ul>
    </div>`
  }
  ${
    failed.length > 0 &&
    html`<div class="alert">
      <h2>${counted(failed.length, 'measurement')} failed</h2>
      ${reasons(failed)}
    </div>`
  }
  ${
    truncated.length > 0 &&
    html`<div class="alert warn">
      <h3>${counted(truncated.length, 'measurement')} ended early: the verdict stands on what there is</h3>
      ${reasons(truncated)}
    </div>`
  }
  ${
    notApplicable.length > 0 &&
    html`<div class="alert warn">
      <h3>${counted(notApplicable.length, 'measurement')} not applicable</h3>
      ${notApplicable.length === results.length && html`<p>${NOTHING_APPLICABLE}</p>`} ${reasons(notApplicable)}
    </div>`
  }
  ${
    warnings.length > 0 &&
    html`<div class="alert warn">
      <h3>${counted(warnings.length, 'warning')}</h3>
      <ul>
        ${warnings.map((warning) => html`<li>${warning}</li>`)}
      </ul>
    </div>`
  }`;
}

/** What has the same reason is named with it once. */
function reasons(results: readonly MeasurementResult[]): Html {
  const byReason = new Map<string, MeasurementResult[]>();
  for (const result of results) {
    const reason = result.reason ?? 'no reason given';
    byReason.set(reason, [...(byReason.get(reason) ?? []), result]);
  }
  return html`<ul>
    ${[...byReason].map(
      ([reason, same]) =>
        html`<li>
          ${reason}:${' '}${same.map(
            (result, index) => html`${index > 0 && ', '}<b>${result.measurementId}</b> ${pairOfTypes(result)}`,
          )}
        </li>`,
    )}
  </ul>`;
}
