/** The report of a run: one HTML file that loads nothing and runs no script, for screens, phones and print. */
import { groupBy } from '../maths/group-by';
import type { MeasurementResult } from '../model/result';
import { cellsOf } from './cells';
import { counted, instant, spaced } from '../text/format';
import type { Html } from './html';
import { html, trusted } from './html';
import type { ReportInput } from './report-input';
import { earlierRunsSection, runComparisonSection } from './sections/comparison';
import { athenaSection, caveatsSection } from './sections/closing';
import { chartsSection } from './sections/side-by-side';
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

export { chartedMeasurementIds } from './sections/throughput';
export type { ReportInput } from './report-input';

/** The browser enforces that the page loads and runs nothing, even if a value ever got past the escaping. */
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
    ['Ended', run.endedAt === undefined ? undefined : instant(run.endedAt)],
    ['Pairs', `${run.pairCount}, at most ${run.concurrency} at a time`],
    ['Order', orderWords(run)],
    ['Estimated price', priceWords(run)],
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
  if (order === 'as_written') return 'as written';
  return seed === undefined ? 'random' : `random, seed ${seed}`;
}

function priceWords({ expectedUsd, upperUsd }: ReportInput['run']): string | undefined {
  if (expectedUsd === undefined || upperUsd === undefined) return undefined;
  const usd = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(2)} USD`);
  return `${usd(expectedUsd)}, at most ${usd(upperUsd)}`;
}

/** What failed or is missing. It stands above the results, so that nobody overlooks it. */
function notMeasured({ run, results, failedPairs, warnings = [] }: ReportInput): Html {
  // The reason of a failed pair usually contains that of its measurement, which is then not repeated.
  const isShown = ({ pairId, reason }: MeasurementResult) =>
    reason !== undefined && failedPairs.some((pair) => pair.pairId === pairId && pair.reason.includes(reason));
  const failed = results.filter((result) => result.status === 'failed' && !isShown(result));
  const truncated = results.filter((result) => result.status === 'truncated' && !isShown(result));
  const notApplicable = results.filter(({ status }) => status === 'not_applicable');
  const interrupted = run.interruptedReason ?? undefined;
  return html`${
    interrupted !== undefined &&
    html`<div class="alert">
      <h2>The run ended early</h2>
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
      <h3>${counted(truncated.length, 'measurement')} ended early; verdicts rest on the data up to then</h3>
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

/** Each reason once, with all measurements that it applies to. */
function reasons(results: readonly MeasurementResult[]): Html {
  return html`<ul>
    ${[...groupBy(results, ({ reason }) => reason ?? 'no reason given')].map(
      ([reason, same]) =>
        html`<li>
          ${reason}:${' '}${same.map(
            (result, index) => html`${index > 0 && ', '}<b>${result.measurementId}</b> ${pairOfTypes(result)}`,
          )}
        </li>`,
    )}
  </ul>`;
}
