/** Renders the report of a run: first the results, then the evidence. */
import { groupBy } from '../maths/elements';
import { isContended } from '../model/contended';
import { isHeldBack } from '../model/verdict';
import type { MeasurementResult } from '../model/result';
import { answerSection } from './answer/answer';
import { measurementsSection } from './cards/measurement-card';
import { cellsOf } from '../repetitions/cells';
import { counted, instant, spaced } from '../text/format';
import { badge } from './page/columns';
import { html, type Html, type HtmlValue } from './page/html';
import { contents, detailedSectionHtml, renderPage, scaledModelNote, sectionHtml, type PageScript } from './page/page';
import { factList, type Section } from './page/table';
import type { ReportInput } from '../run/report-input';
import { expectationsBadge, expectationsSection } from './sections/expectations';
import { earlierRunsSection, runComparisonSection } from './sections/comparison';
import { athenaSection, caveatsSection, conditionsSection, costSection } from './sections/run-facts';
import { chartsSection } from './sections/side-by-side';
import { latencySection, loadedLatencySection } from './sections/latency';
import { repetitionsSection } from './sections/repetitions';
import { ownRoutesSection, routesSection } from './sections/routes';
import { streamsSection } from './sections/streams';
import { packetsSection, verdictSection } from './sections/verdicts';
import { NOTHING_APPLICABLE } from '../run/summary';
import { pairOfTypes, zones } from '../run/words';

export function renderReport(input: ReportInput, script: PageScript): string {
  const { run, results } = input;
  const answer = answerSection(input);
  const isLarge = results.length > LARGE_FROM;
  const hasChart = answer?.html.text.includes('<svg') ?? false;
  const sections = sectionsOf(input, { isLarge, showsChart: !hasChart });
  const all = answer ? [answer, ...sections] : sections;
  const isDetailed = ({ id }: Section) => !PRINTED.has(id) && id !== 'measurements';
  const lead = answer ?? sections.find(isDetailed);
  const isPrinted = (section: Section) =>
    section === lead || PRINTED.has(section.id) || (section.id === 'measurements' && !hasChart);
  const main = html`${contents(all, results)} ${notMeasured(input)}
  ${all.map((section) =>
    isPrinted(section) ? sectionHtml(section) : detailedSectionHtml(section, isLarge && isDetailed(section)),
  )}
  ${results.length > 0 && PRINT_NOTE}`;
  return renderPage({
    title: `${run.planName}: ${spaced(run.outcome)} (${run.runId})`,
    header: pageHeader(input),
    main,
    footer: `EC2 Network Bench, run ${run.runId}`,
    results,
    script,
  });
}

/** With more measurements, cards and detailed sections are folded, so that readers find what comes after them. */
const LARGE_FROM = 12;

/** What print has beside the answer unless a reader asks for everything. */
const PRINTED: ReadonlySet<string> = new Set(['expectations', 'run-comparison', 'comparison', 'caveats']);

const PRINT_NOTE = html`<p class="print-note">
  This is the report in brief. To print everything, open “Contents” at the top of the report, and tick “Print
  everything”.
</p>`;

/** Returns the sections in reading order; sections without content are left out. */
function sectionsOf(input: ReportInput, cards: Parameters<typeof measurementsSection>[1]): Section[] {
  const { results } = input;
  const cells = cellsOf(results);
  return [
    expectationsSection(input),
    runComparisonSection(input),
    earlierRunsSection(input),
    measurementsSection(input, cards),
    verdictSection(results),
    chartsSection(cells),
    repetitionsSection(cells),
    streamsSection(cells),
    packetsSection(results),
    loadedLatencySection(results),
    latencySection(results),
    routesSection(results),
    ownRoutesSection(input),
    costSection(input),
    conditionsSection(input),
    caveatsSection(),
    athenaSection(input),
  ].filter((section) => section !== undefined);
}

function pageHeader({ run, results, expectations }: ReportInput): Html {
  const tone = ({ complete: 'good', incomplete: 'bad', failed: 'bad', dry_run: '' } as const)[run.outcome];
  const complete = results.filter(({ status }) => status === 'complete').length;
  return html`<header class="page">
    <p class="product">EC2 Network Bench</p>
    <div class="heading">
      <h1>${run.planName}</h1>
      ${badge(tone, spaced(run.outcome))}${expectationsBadge(expectations)}
    </div>
    ${factList([
      ['Run', run.runId],
      ['Planned', instant(run.createdAt)],
      ['Ended', run.endedAt && instant(run.endedAt)],
      ['Pairs', run.pairCount > 0 && `${run.pairCount}, at most ${run.concurrency} at a time`],
      ['Order', orderWords(run)],
      ['Estimated price', priceWords(run)],
      ['Actual price', run.costUsd !== undefined && run.pairCount > 0 && usd(run.costUsd)],
      ['Prices', run.priceList],
      ['Repetitions', run.repetitions > 1 && `${run.repetitions}, each on a fresh pair`],
      ['Tags', tagWords(run.tags)],
      ['Measurements', `${complete} of ${counted(run.measurementCount, 'measurement')} complete`],
    ])}
  </header>`;
}

function tagWords(tags: ReportInput['run']['tags'] = {}): string {
  return Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

function orderWords({ order, seed }: ReportInput['run']): string | undefined {
  if (order === undefined) return undefined;
  if (order === 'as_written') return 'as written';
  return seed === undefined ? 'random' : `random, seed ${seed}`;
}

function priceWords({ expectedUsd, upperUsd }: ReportInput['run']): string | undefined {
  if (expectedUsd === undefined || upperUsd === undefined) return undefined;
  return `${usd(expectedUsd)}, at most ${usd(upperUsd)}`;
}

const usd = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(2)} USD`);

const ENDED_EARLY = 'ended early; verdicts use the data up to then';

/** Lists what failed or is missing, above the results so that it is not overlooked. */
function notMeasured({ run, results, failedPairs, warnings = [] }: ReportInput): Html {
  // A measurement's reason is not repeated where the reason of its failed pair contains it.
  const isShown = ({ pairId, reason }: MeasurementResult) =>
    reason !== undefined && failedPairs.some((pair) => pair.pairId === pairId && pair.reason.includes(reason));
  const ofStatus = (status: MeasurementResult['status']) =>
    results.filter((result) => result.status === status && !isShown(result));
  const [failed, truncated, notApplicable] = [ofStatus('failed'), ofStatus('truncated'), ofStatus('not_applicable')];
  const pairReasons = failedPairs.map(({ pairId, reason }) => html`<b>${pairId}</b>: ${reason}`);
  const measurements = (counting: readonly unknown[]) => counted(counting.length, 'measurement');
  const nothing = notApplicable.length === results.length && html`<p>${NOTHING_APPLICABLE}</p>`;
  // A run without pairs had a rejected plan; the reason then has a line for each problem.
  const neverBegan = run.pairCount === 0 && list((run.interruptedReason ?? '').split('\n'), Infinity);
  return html`${scaledModelNote(results.flatMap(({ scaledModel }) => scaledModel ?? []))}
  ${
    neverBegan
      ? alert('failure', 'Nothing was launched', neverBegan)
      : alert('failure', 'The run ended early', run.interruptedReason)
  }
  ${alert('failure', `${counted(failedPairs.length, 'pair')} failed`, list(pairReasons))}
  ${alert('failure', `${measurements(failed)} failed`, reasons(failed))}
  ${alert('warning', `${measurements(truncated)} ${ENDED_EARLY}`, reasons(truncated))}
  ${alert('warning', `${measurements(notApplicable)} not applicable`, reasons(notApplicable), nothing)}
  ${displacedPairs(results)}
  ${measuredBeside(results.filter(isHeldBack), 'of round trips held back by a host', HELD_BACK)}
  ${measuredBeside(results.filter(isContended), 'on busy processors', BUSY)}
  ${alert('warning', counted(warnings.length, 'warning'), list(warnings))}`;
}

/** Lists the pairs that went to other zones than the rest of their repetition; no other section compares them. */
function displacedPairs(results: readonly MeasurementResult[]): HtmlValue {
  const displaced = groupBy(
    results.filter(({ isDisplaced }) => isDisplaced === true),
    ({ pairId }) => pairId,
  );
  const pairs = [...displaced.values()].map(
    ([first]) => html`<b>${first.pairId}</b> ${pairOfTypes(first)}, repetition ${first.repetition}: ${zones(first)}`,
  );
  const lead = html`<p>
    The subnets of the other pairs of the repetition had no room for these hosts. Distances between zones differ, so
    these measurements are excluded from averages and comparisons.
  </p>`;
  return alert('warning', `${counted(displaced.size, 'pair')} displaced to other subnets`, list(pairs), lead);
}

/** Lists measurements whose figures may not show the network; their cards have the details. */
function measuredBeside(results: readonly MeasurementResult[], beside: string, lead: string): HtmlValue {
  const names = results.length > 0 && html`<p>${namesOf(results)}</p>`;
  return alert('warning', `${counted(results.length, 'measurement')} ${beside}`, names, html`<p>${lead}</p>`);
}

const HELD_BACK =
  'An allowance of a host held messages back during these measurements, so the round trips do not show the path alone. ' +
  'These measurements are excluded from averages and comparisons.';

const BUSY =
  'Other work kept the processors of a host busy during these measurements, so the figures may show that instead of the ' +
  'network. The cards of the measurements say how busy the processors were.';

function alert(severity: 'failure' | 'warning', heading: string, body: HtmlValue, lead?: HtmlValue): HtmlValue {
  if (!body) return undefined;
  return html`<div class="${severity === 'warning' ? 'alert warn' : 'alert'}">
    <h2>${heading}</h2>
    ${lead} ${body}
  </div>`;
}

/** More lines would push the results off the first screen; the others are folded. */
const SHOWN_LINES = 3;

function list(items: readonly HtmlValue[], shownLines = SHOWN_LINES): Html | undefined {
  if (items.length === 0) return undefined;
  const lines = (some: readonly HtmlValue[]) =>
    html`<ul>
      ${some.map((item) => html`<li>${item}</li>`)}
    </ul>`;
  // A single further line takes no more room than the summary that would hide it.
  if (items.length <= shownLines + 1) return lines(items);
  return html`${lines(items.slice(0, shownLines))}
    <details>
      <summary>${items.length - shownLines} more</summary>
      ${lines(items.slice(shownLines))}
    </details>`;
}

/** Lists each reason once, with all measurements that it applies to. */
function reasons(results: readonly MeasurementResult[]): Html | undefined {
  const byReason = groupBy(results, ({ reason }) => reason ?? 'no reason given');
  return list([...byReason].map(([reason, same]) => html`${reason}: ${namesOf(same)}`));
}

function namesOf(results: readonly MeasurementResult[]): Html[] {
  return results.map((each, index) => html`${index > 0 && ', '}<b>${each.measurementId}</b> ${pairOfTypes(each)}`);
}
