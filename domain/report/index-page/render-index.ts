/** Renders `index.html`, the page over all runs of a result store. */
import { counted, instant, spaced } from '../../text/format';
import { badge, stacked, verdictBadge, withNotes } from '../page/columns';
import { html, trusted, type Html } from '../page/html';
import { contents, renderPage, scaledModelNote, sectionHtml, type PageScript } from '../page/page';
import { column, numberColumn, reportTable, roomyColumn, type ReportColumn, type Section } from '../page/table';
import { atlasSection } from './atlas';
import { comparableRuns, type ComparableRuns } from './ticked-runs';
import { typesSection } from './type-table';
import type { IndexInput } from '../../run/report-input';
import { LISTED_RUNS, runCountOf } from '../../history/history';
import type { RunDigest } from '../../history/run-digest';
import { consoleLink } from '../../workflow/console-links';
import { reportKey } from '../../workflow/object-keys';

export function renderIndex(input: IndexInput, script: PageScript): string {
  const { history, bucketName, renewedAt } = input;
  const sections = [typesSection(input), atlasSection(input), runsSection(input)].filter(
    (section) => section !== undefined,
  );
  const header = html`<header class="page">
    <p class="product">EC2 Network Bench</p>
    <h1>All runs</h1>
    <p class="lead">
      ${counted(runCountOf(history), 'run')} in the bucket ${bucketName}. The page is updated whenever a run ends, last
      on ${instant(renewedAt)}.
    </p>
  </header>`;
  return renderPage({
    title: `All runs in ${bucketName}`,
    header,
    main: html`${scaledModelNote(history.runs.flatMap(({ scaledModel }) => scaledModel ?? []))}
    ${contents(sections, [])} ${sections.map(sectionHtml)}`,
    footer: 'EC2 Network Bench',
    isLandscape: true,
    results: [],
    script,
  });
}

/** The most unreadable runs on the page; the log of publish-run has all. */
const SHOWN_UNREADABLE = 20;

function runsSection({ history, unreadable, region, bucketName }: IndexInput): Section {
  const newest = history.runs.toReversed().slice(0, LISTED_RUNS);
  const left = runCountOf(history) - newest.length;
  const older = html`<p>
    Only the newest ${newest.length} runs are listed; ${counted(left, 'older run')} can be queried.
  </p>`;
  const comparable = comparableRuns(newest);
  const withBox = new Set(comparable.runs.map(({ runId }) => runId));
  return {
    id: 'runs',
    title: 'Runs',
    html: html`${left > 0 && older} ${withBox.size > 0 && comparison(comparable, newest.length)}
      <div class="card">${reportTable('Runs', columns(region, bucketName, withBox), newest)}</div>
      ${leftOut(unreadable)}`,
  };
}

/** Shown by the page's script, as the boxes are, because it is what compares. */
const comparison = (comparable: ComparableRuns, listedCount: number) =>
  html`<div class="ticked" hidden>
    <p>
      Tick two runs to compare
      them.${comparable.runs.length < listedCount && ` Only the newest runs with measurements in common can be ticked.`}
      To compare with any run, and zone by zone, set <code>compareTo</code> in a plan.
    </p>
    ${trusted(`<script type="application/json">${JSON.stringify(comparable).replaceAll('<', '\\u003c')}</script>`)}
    <output></output>
    <div class="card" hidden></div>
  </div>`;

function leftOut(unreadable: IndexInput['unreadable']): Html | undefined {
  if (unreadable.length === 0) return undefined;
  const more = unreadable.length - SHOWN_UNREADABLE;
  return html`<p>
      ${counted(unreadable.length, 'run')} cannot be read, and ${unreadable.length === 1 ? 'is' : 'are'} left out here
      and in the atlas:
    </p>
    <ul>
      ${unreadable
        .slice(0, SHOWN_UNREADABLE)
        .map(({ runId, reason }) => html`<li><a href="${reportKey(runId)}">${runId}</a>: ${shortened(reason)}</li>`)}
      ${more > 0 && html`<li>and ${more} more, in the log of <code>publish-run</code></li>`}
    </ul>`;
}

const goodOrBad = (isGood: boolean, word: string) => badge(isGood ? 'good' : 'bad', spaced(word));

const columns = (region: string, bucketName: string, withBox: ReadonlySet<string>): ReportColumn<RunDigest>[] => [
  roomyColumn('Run', ({ runId, planName, isScheduled, scaledModel }) => {
    const model = scaledModel && `, measured in ${scaledModel.name}`;
    return withNotes(planName, [runId, isScheduled && ', by schedule', model]);
  }),
  column('Planned', ({ createdAt }) => instant(createdAt)),
  roomyColumn('Outcome', ({ outcome, reason }) =>
    withNotes(html`${goodOrBad(outcome === 'complete', outcome)} `, reason && shortened(reason)),
  ),
  column('Expectations', ({ expectations }) => expectations && goodOrBad(expectations === 'met', expectations)),
  column('Verdicts', ({ verdictCounts }) => {
    const counts = verdictCounts?.map(
      ({ count, ...verdict }) => html`<span class="nowrap">${count} ${verdictBadge(verdict)}</span>`,
    );
    return counts && stacked(counts);
  }),
  numberColumn(
    'Complete measurements',
    ({ completeCount, measurementCount }) => `${completeCount} of ${measurementCount}`,
  ),
  numberColumn('Price, USD', ({ costUsd }) => costUsd?.toFixed(2)),
  column('Report', ({ runId }) => {
    const inConsole = consoleLink(region, bucketName, reportKey(runId));
    return withNotes(
      html`<a href="${reportKey(runId)}" aria-label="report of ${runId}">report</a> `,
      html` <a href="${inConsole}" aria-label="report of ${runId} in the console">in the console</a> `,
      withBox.has(runId) &&
        html`<label class="tick" hidden
          ><input type="checkbox" autocomplete="off" value="${runId}" aria-label="compare ${runId}" /> compare</label
        >`,
    );
  }),
];

const LONGEST_REASON = 160;

/** Cuts a long reason; the report has all of it. */
function shortened(reason: string): string {
  return reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON - 1)}…`;
}
