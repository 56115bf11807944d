/**
 * The report's style sheet. The chart colours are those of Okabe and Ito, which can be told apart with any kind of
 * colour vision. The dark theme has lighter variants; print always uses the light theme.
 */
const LIGHT = `
  --paper: #f6f7f9; --card: #ffffff; --ink: #1b2430; --muted: #5b6675; --rule: #e3e7ec; --code: #f0f2f5;
  --link: #0b5cad; --good: #00684a; --good-paper: #e3f4ed; --bad: #a8200d; --bad-paper: #fdebe7;
  --warn: #7a4b00; --warn-paper: #fff3dc; --plain-paper: #e9edf2;
  --holds: #00684a; --holds-paper: #e0f3ec; --falls: #93400a; --falls-paper: #fde9dc; --wavers: #83306a; --wavers-paper: #f8e6f1;
  --limited: #00527f; --limited-paper: #e0eff9; --undecided: #7a5200; --undecided-paper: #fdf1d7;
  --series-1: #0072b2; --series-2: #d55e00; --series-3: #009e73; --series-4: #cc79a7; --series-5: #b58900;
  --series-6: #56b4e9; --series-7: #5b6675;
  --onset: #b34700; --onset-band: rgba(213, 94, 0, .28); --burst: #00684a; --baseline: #8a3f78; --published: #5b6675;
  --missing: rgba(91, 102, 117, .14);`;

const DARK = `
  --paper: #11161d; --card: #1a212b; --ink: #e8ecf1; --muted: #a3afbd; --rule: #2e3844; --code: #232c38;
  --link: #7cb8f2; --good: #6ed6ad; --good-paper: #12372b; --bad: #ff9a85; --bad-paper: #45201a;
  --warn: #f0c36d; --warn-paper: #3b2e12; --plain-paper: #2a3441;
  --holds: #6ed6ad; --holds-paper: #12372b; --falls: #ff9f66; --falls-paper: #43240f; --wavers: #eba9d2; --wavers-paper: #3f2038;
  --limited: #85c8f5; --limited-paper: #12304a; --undecided: #f0c36d; --undecided-paper: #3b2e12;
  --series-1: #56b4e9; --series-2: #f0894a; --series-3: #3cc79b; --series-4: #e5a3c6; --series-5: #e3c04d;
  --series-6: #8fb8ff; --series-7: #a3afbd;
  --onset: #ff9a5c; --onset-band: rgba(240, 137, 74, .35); --burst: #6ed6ad; --baseline: #e5a3c6; --published: #a3afbd;
  --missing: rgba(163, 175, 189, .16);`;

/** Each tone also has a sign, for readers without colour; screen readers skip it, because the words say the same. */
const VERDICT_TONES = Object.entries({ holds: '=', falls: '↘', wavers: '~', limited: '⊣', undecided: '?' })
  .map(
    ([tone, sign]) => `.badge.${tone} { background: var(--${tone}-paper); color: var(--${tone}); }
.badge.${tone}::before { content: "${sign} "; content: "${sign} " / ""; }`,
  )
  .join('\n');

/**
 * Delays the layout of a card until it is near the visible part; until then its height is this estimate. Without this,
 * a browser lays out a report of 1,000 measurements some 20 times, which takes four fifths of the time to open it.
 * Content beyond the edges of a card is cut off.
 */
const LAID_OUT_WHEN_NEAR = 'content-visibility: auto; contain-intrinsic-height: auto 600px;';

/**
 * Attributes of texts and lines that `charts/compact-svg.ts` removes from each chart. The rules for paths name no
 * ancestor, because lines of the wide chart that the narrow chart refers to have no `.chart` above them there.
 */
export const CHART_TEXT_STYLE = `.chart text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.chart text:not([dominant-baseline]) { dominant-baseline: central; }
.chart text:not([fill]) { fill: var(--muted); }
.chart .outlined { stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; paint-order: stroke; }
path:not([fill]) { fill: none; }
path[id] { vector-effect: non-scaling-stroke; }`;

/** Without the box to tick, a page is always printed whole. */
const IN_BRIEF = ':root:has(#print-all:not(:checked))';
const PRINTS_ALL = ':root:not(:has(#print-all:not(:checked)))';

export const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main, header.page, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
header.page { padding-top: 36px; }
.product { margin: 0; color: var(--muted); font-size: 13px; font-weight: 600; letter-spacing: .02em; }
h1 { margin: 4px 0 10px; font-size: 30px; line-height: 1.2; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { margin: 44px 0 6px; font-size: 21px; letter-spacing: -.01em; }
h3 { margin: 0; font-size: 17px; letter-spacing: -.005em; }
h4 { margin: 18px 0 6px; font-size: 14px; }
p { margin: 6px 0 12px; max-width: 78ch; }
.lead { color: var(--muted); }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--code); padding: 1px 5px; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--code); padding: 12px 14px; border-radius: 8px; overflow-x: auto; margin: 8px 0 14px; }
pre code { background: none; padding: 0; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 18px 20px; margin: 14px 0;
  ${LAID_OUT_WHEN_NEAR} }
.card:has(> .tall) { contain-intrinsic-height: auto 82vh; }
.measurement { contain-intrinsic-height: auto 60px; }
.facts { display: flex; flex-wrap: wrap; gap: 6px 28px; margin: 12px 0 0; padding: 0; }
.facts div { min-width: 0; }
.facts dt { color: var(--muted); font-size: 12.5px; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figures dd { font-size: 19px; font-weight: 600; letter-spacing: -.01em; }
.figures dd small { font-size: 13px; font-weight: 400; color: var(--muted); letter-spacing: 0; }
.badge { display: inline-block; padding: 1px 9px; border-radius: 999px; font-size: 13px; font-weight: 600;
  background: var(--plain-paper); white-space: nowrap; }
.badge.good { background: var(--good-paper); color: var(--good); }
.badge.bad { background: var(--bad-paper); color: var(--bad); }
.badge.warn { background: var(--warn-paper); color: var(--warn); }
${VERDICT_TONES}
.badge.undecided { outline: 1px dashed; outline-offset: -1px; }
.alert { border-left: 4px solid var(--bad); background: var(--bad-paper); border-radius: 8px; padding: 12px 16px; margin: 16px 0; }
.alert h2 { margin: 0 0 4px; font-size: 16px; color: var(--bad); }
.alert ul { margin: 4px 0 0; padding-left: 20px; overflow-wrap: anywhere; }
.alert.warn { border-color: var(--warn); background: var(--warn-paper); }
.alert.warn h2 { color: var(--warn); }
.scroll { overflow-x: auto; }
.tall { max-height: 82vh; overflow: auto; }
.tall thead th { position: sticky; top: 0; background: var(--card); z-index: 1; }
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
@media (min-width: 701px) { td:not(.number) { min-width: 4.5em; } td.roomy { min-width: 10em; } .number + :not(.number) { padding-left: 10px; } }
th { text-align: left; color: var(--muted); font-weight: 600; font-size: 12.5px; vertical-align: bottom; line-height: 1.3; }
th, td { padding: 8px 11px 8px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
tbody tr:last-child td { border-bottom: 0; }
.contents { margin: 22px 0 0; }
.contents ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 8px; padding: 0; }
.bar { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: center;
  background: var(--paper); border-bottom: 1px solid var(--rule); padding: 8px 0; margin-top: 14px; }
.bar .contents { margin: 0; }
.bar .contents details[open] > summary { margin-bottom: 0; }
.menu { position: absolute; top: 100%; left: 0; max-height: 70vh; overflow: auto; background: var(--card);
  border: 1px solid var(--rule); border-radius: 0 0 10px 10px; padding: 10px 18px 12px; }
.menu ul { display: block; }
.filters { display: flex; flex: 1; flex-wrap: wrap; gap: 6px 8px; align-items: center; }
.filters :is(select, input) { font: inherit; font-size: 14px; color: var(--ink); background: var(--card); min-width: 0;
  border: 1px solid var(--rule); border-radius: 8px; padding: 3px 8px; }
.filters select { max-width: 40%; }
.filters input { flex: 1 1 90px; max-width: 260px; }
output, .contents small, section > details > summary > small { color: var(--muted); font-size: 13.5px; font-weight: 400; }
html:has(.bar) { scroll-padding-top: 56px; }
section > details > summary h2 { display: inline; }
section > details { margin-top: 14px; }
.body + .body { border-top: 1px solid var(--rule); margin-top: 18px; }
h4 .sub { font-weight: 400; }
.print-note { display: none; }
a { color: var(--link); }
.sub a, td small a, tr.group small a { color: inherit; }
section, .card { scroll-margin-top: 12px; }
summary { cursor: pointer; padding: 2px 0; }
summary::marker { color: var(--muted); }
.measurement summary :is(.heading, .sub) { margin-left: 16px; }
.measurement summary { list-style: none; position: relative; }
.measurement .body summary { padding-left: 16px; }
.measurement summary::-webkit-details-marker { display: none; }
.measurement summary::before { content: "▸"; position: absolute; left: 0; color: var(--muted); }
.measurement details[open] > summary::before { content: "▾"; }
.measurement summary .sub { display: block; }
.measurement .body { scroll-margin-top: 96px; }
.headline { color: var(--ink); font-variant-numeric: tabular-nums; }
details:not(.measurement *) > summary { font-weight: 600; }
details[open] > summary { margin-bottom: 10px; }
td.number, th.number { text-align: right; }
td.number > div { white-space: nowrap; }
td small { display: block; color: var(--muted); font-size: 12.5px; line-height: 1.35; }
tr.group th { color: var(--ink); font-size: 14px; padding-top: 18px; }
tbody tr.group:first-child th { padding-top: 8px; }
tr.group small { display: block; color: var(--muted); font-weight: 400; font-size: 12.5px; }
.nowrap { white-space: nowrap; }
span.stack { display: inline-flex; flex-direction: column; align-items: flex-start; gap: 4px; }
dl.facts + dl.facts { margin-top: 8px; }
.heading { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
.sub { color: var(--muted); font-size: 13.5px; margin: 2px 0 8px; max-width: none; }
.chart svg { display: block; width: 100%; height: auto; }
${CHART_TEXT_STYLE}
.chart .narrow { display: none; }
.key { columns: 2; column-gap: 28px; margin: 8px 0 0; padding-left: 26px; font-size: 13.5px; }
ul.witnesses { list-style: none; margin: 4px 0 0; padding: 0; }
.witnesses li { display: grid; grid-template-columns: 22px minmax(0, 150px) minmax(0, 1fr); gap: 0 8px; padding: 3px 0; font-size: 14px; }
.witnesses .sign { font-weight: 700; text-align: center; }
.witnesses .agrees .sign { color: var(--good); }
.witnesses .disagrees .sign { color: var(--bad); }
.witnesses .warns .sign { color: var(--warn); }
.witnesses .neutral { color: var(--muted); }
.two { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 36px; }
.warnings { color: var(--warn); font-size: 14px; margin: 10px 0 0; padding-left: 20px; }
.caveats li { margin: 6px 0; max-width: 82ch; }
footer { color: var(--muted); font-size: 13px; padding: 28px 20px 40px; }
#answer h2 { margin-top: 22px; }
.answer { font-size: 18px; font-weight: 600; margin: 4px 0 8px; max-width: 75ch; }
.transfer { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; margin: 0 0 8px; }
.transfer input { font: inherit; padding: 2px 6px; border: 1px solid var(--rule); border-radius: 4px; background: none; color: inherit; }
.transfer-time { display: block; font-size: 12.5px; }
.answers { margin: 4px 0 10px; padding-left: 20px; }
.answers li { margin: 2px 0; }
#answer td { padding-top: 5px; padding-bottom: 5px; }
@media (min-width: 701px) {
  :is(#answer, #atlas, #types, #verdicts) table { font-size: 13px; }
  :is(#answer, #atlas, #types, #verdicts) :is(th, td small) { font-size: 12px; }
  :is(#answer, #atlas, #types, #verdicts) :is(th, td):not(:last-child) { padding-right: 8px; }
  :is(#atlas, #types, #verdicts, .ticked) :is(td.number > div, td.number small, b.nowrap) { white-space: normal; }
  :is(#atlas, #types, #verdicts) td { min-width: 0; }
  :is(#atlas, #types) td.roomy { min-width: 9em; }
  #answer td:first-child > div, #answer .stack { display: flex; flex-flow: row wrap; gap: 2px 8px; align-items: baseline; }
  #answer td.number > div { white-space: normal; }
  :is(#answer, #verdicts) .badge { font-size: 12px; }
}
@media (max-width: 700px) {
  header.page { padding-top: 22px; }
  main, header.page, footer { padding-left: 14px; padding-right: 14px; }
  h1 { font-size: 25px; }
  .card { padding: 14px; border-radius: 10px; }
  .measurement { contain-intrinsic-height: auto 127px; }
  .filters { flex-basis: 100%; }
  .filters select { flex: 1 1 30%; }
  html:has(.bar) { scroll-padding-top: 92px; }
  .two { display: block; }
  .figures dd small { display: inline-block; }
  .key { columns: 1; }
  .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(136px, 1fr)); gap: 8px 16px; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  table.stacks thead { display: none; }
  table.stacks, table.stacks tbody, table.stacks tr, table.stacks td { display: block; }
  table.stacks tr { padding: 10px 0; border-bottom: 1px solid var(--rule); }
  table.stacks tr:last-child { border-bottom: 0; }
  table.stacks tr.group, table.stacks tr.group th { display: block; border-bottom: 0; padding-bottom: 0; }
  table.stacks td { display: flex; justify-content: space-between; gap: 16px; padding: 3px 0; border: 0; text-align: right; }
  table.stacks td.empty { display: none; }
  table.stacks td::before { content: attr(data-label); color: var(--muted); text-align: left; }
  table.stacks td.number > div { white-space: normal; }
  table.stacks td:first-child:not(.number) { text-align: left; }
  table.stacks td:first-child:not(.number)::before { display: none; }
  span.stack { align-items: flex-end; }
  td:first-child span.stack { align-items: flex-start; }
  table.stacks td > div { min-width: 0; overflow-wrap: anywhere; }
  .witnesses li { grid-template-columns: 22px minmax(0, 1fr); }
  .witnesses li > :last-child { grid-column: 2; color: var(--muted); }
}
.spark path { stroke: var(--series-1); stroke-width: 1.5; }
.spark .change { stroke: var(--onset); stroke-dasharray: 3 2; }
.filter input { font: inherit; padding: 3px 8px; color: inherit; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; }
figure.series { position: relative; margin: 0; }
figure .rule { position: absolute; width: 1px; background: var(--muted); pointer-events: none; }
figure .values { position: absolute; pointer-events: none; background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; padding: 6px 10px; font-size: 13px; font-variant-numeric: tabular-nums; z-index: 2; }
.tools { margin: 4px 0 8px; }
button { font: inherit; font-size: 13.5px; color: var(--link); background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; padding: 3px 12px; cursor: pointer; }
button:focus-visible, .sortable th:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.sortable th[tabindex] { cursor: pointer; }
.sortable th[aria-sort]::after { content: " ▲"; }
.sortable th[aria-sort="descending"]::after { content: " ▼"; }
.u-legend { color: var(--ink); font-size: 13px; }
.u-legend th, .u-legend td { border: 0; padding: 2px 6px; }
[hidden] { display: none !important; }
@page { margin: 14mm 12mm; }
@media print {
  :root { color-scheme: light; ${LIGHT} --paper: #ffffff; }
  body { font-size: 9pt; }
  header.page { padding-top: 0; }
  h1 { font-size: 20px; margin: 0 0 4px; }
  h2, #answer h2 { margin-top: 18px; font-size: 16px; }
  footer { padding-top: 4px; padding-bottom: 0; }
  figure.series .chart, #answer .chart { width: 80%; }
  .figures dd { font-size: 11pt; }
  .witnesses li { font-size: 8pt; padding: 1px 0; grid-template-columns: 16px minmax(0, 120px) minmax(0, 1fr); }
  main, header.page, footer { max-width: none; padding-left: 0; padding-right: 0; }
  .alert, tr, .chart, .facts, .witnesses li, .sub, .lead, .body, .measurement:not(:has(.body ~ .body)) { break-inside: avoid; }
  h2, h3, h4, summary, thead, .lead, .card > .sub { break-after: avoid; }
  .card { border-color: #c9d0d8; padding: 10px 12px; content-visibility: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  a { color: inherit; text-decoration: none; }
  .answer { font-size: 12pt; margin: 2px 0 4px; max-width: none; }
  .screen, .contents, .transfer-time { display: none !important; }
  .scroll, .tall { overflow: visible; max-height: none; }
  .tall thead th { position: static; }
  table, :is(#answer, #atlas, #types, #verdicts) table { font-size: 8pt; }
  th, td small, .sub, :is(#answer, #atlas, #types, #verdicts) :is(th, td small) { font-size: 7.5pt; }
  th, td { padding: 4px 6px 4px 0; }
  td, td * { white-space: normal; overflow-wrap: anywhere; }
  td.number *, td .badge { overflow-wrap: normal; }
  #answer .sub ~ .card { break-inside: avoid; }
  #answer table { font-size: 7.5pt; }
  #answer td.number * { white-space: normal; }
  #verdicts td:not(.number) { min-width: 5.2em; }
  .key { font-size: 8pt; }
  #answer :is(th, td small) { font-size: 7pt; }
  :is(#answer, #verdicts) :is(th, td):not(:last-child) { padding-right: 5px; }
  :is(#answer, #verdicts) td .badge { font-size: 6.4pt; padding: 0 4px; }
  thead { display: table-header-group; }
  ${PRINTS_ALL} details::details-content { content-visibility: visible; block-size: auto; }
  ${PRINTS_ALL} .measurement { display: block !important; }
  ${IN_BRIEF} :is(.on-demand, .measurement:not(.printed), #measurements > .lead, #answer .card:has(svg) ~ .card:has(svg)) { display: none; }
  ${IN_BRIEF} .print-note { display: block; }
  .measurement summary::before { display: none; }
  .measurement summary :is(.heading, .sub) { margin-left: 0; }
  .measurement .body summary { padding-left: 0; }
 * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
`;

/** For a page with wide tables. Firefox keeps a page size only if it is set for all sheets. */
export const LANDSCAPE = `@page { size: landscape; }
@media screen { main, header.page, footer { max-width: 1520px; } }`;
